import type { CallOptions } from './call_options.ts';

/**
 * The arguments of a function that stands for a method with these params. The value alone may stand for the params where
 * only the param of that name is required.
 */
export type GivenParams<P, Only> = Only extends keyof P
  ? [params: P | Extract<P[Only], Value>, options?: CallOptions]
  : Partial<P> extends P
    ? [params?: P, options?: CallOptions]
    : [params: P, options?: CallOptions];

/** A value that is no object of params. */
type Value = string | number | bigint | boolean | readonly unknown[];
