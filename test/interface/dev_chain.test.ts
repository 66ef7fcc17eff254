import { checkLines } from './check.ts';

checkLines('dev');
