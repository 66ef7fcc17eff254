import type { Json } from '../../codec/json.ts';

/** A call with what was answered: a result, or a refusal where the chain of the samples has nothing else for it. */
export type Sample = { readonly params: Json } & (
  | { readonly result: Json }
  /** A result that is too long to print is served as a page of its own. */
  | { readonly page: string }
  | { readonly refused: { readonly name: string; readonly message: string } }
);

/** Recorded on a development chain: a call of each method, an operation of each kind as a block has it. */
export interface Samples {
  readonly methods: Readonly<Record<string, Sample>>;
  readonly operations: Readonly<Record<string, Json>>;
}
