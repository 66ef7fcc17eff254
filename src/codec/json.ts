/**
 * A JSON value. Integers beyond ±(2^53 − 1) are `bigint`, read from the source text and never through a float;
 * all other numbers are `number`. Objects made by the reader own every member, `__proto__` included.
 */
export type Json = null | boolean | number | bigint | string | Json[] | { [member: string]: Json };
