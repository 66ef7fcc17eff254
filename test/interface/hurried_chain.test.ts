import { checkLinesOn } from './check.ts';

checkLinesOn('hurried');
