import { checkLinesOn } from './check.ts';

checkLinesOn('dev');
