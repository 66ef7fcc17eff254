import { checkLinesOn } from './check.ts';

checkLinesOn('wallet', 'private net');
