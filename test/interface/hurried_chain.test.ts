import { checkLines } from './check.ts';

checkLines('hurried');
