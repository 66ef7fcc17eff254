/**
 * A JSON value. Integers beyond ±(2^53 − 1) are `bigint`, read from the source text and never through a float;
 * all other numbers are `number`. In objects made by the reader every member is an own property, `__proto__` included.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [member: string]: Json };
