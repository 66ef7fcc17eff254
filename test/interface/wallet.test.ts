import { checkLines } from './check.ts';

checkLines('wallet', 'private net');
