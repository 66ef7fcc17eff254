import { assert } from '../base/assert.ts';
import type { RefusalText } from '../base/refusal.ts';
import type { Json } from '../codec/json.ts';
import type { TSchema } from './typebox.ts';

/** JSON text that is already written: an answer from a cache, a stored block. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Params as they came: by name or by position. */
export interface GivenParams {
  readonly json: Json | undefined;
  readonly positional: boolean;
}

/** A method as it is called and described. `C` is what it is handed with a call: all that it can ask of whoever serves. */
export interface Method<C> {
  /** `group.method`, or a bare name. */
  readonly name: string;
  readonly group: string;
  readonly doc: string;
  readonly params: TSchema;
  /** In their declared order, which is the positional order of the legacy dialect. */
  readonly paramNames: readonly string[];
  readonly result: TSchema;
  readonly example: { readonly params: Json; readonly result?: Json };
  readonly stability: 'stable' | 'experimental' | 'deprecated';
  /** What it may refuse besides bad params: stable code → text. */
  readonly refuses: Readonly<Record<string, RefusalText>>;
  /** Takes a private key, so it answers only where the operator allows that. */
  readonly needsPrivateKey: boolean;
  readonly run: Run<C>;
}

/** How a method is carried out. */
export type Run<C> =
  /** At once, from the versioned state: an answer may be given again as long as the version stays. A promise is waited for. */
  | { readonly kind: 'read'; readonly answer: (given: GivenParams, context: C) => unknown }
  /** It takes its time. */
  | { readonly kind: 'wait'; readonly answer: (given: GivenParams, context: C) => Promise<unknown> }
  /**
   * The source of its params is handed on unread, empty where there are none; it is a part of the body, so it is copied before this
   * returns. `source` is the number of whoever sent it (http/sender_ids.ts).
   */
  | { readonly kind: 'hand_on'; readonly answer: (params: Uint8Array, context: C, source: number) => Promise<unknown> };

/** Methods by name. */
export type Methods<M extends Method<never>> = ReadonlyMap<string, M>;

/** One register from the registers of the groups; a name stands in it once. */
export function registerMethods<M extends Method<never>>(...groups: readonly (readonly M[])[]): Methods<M> {
  const methods = new Map<string, M>();
  for (const declared of groups.flat()) {
    assert(!methods.has(declared.name), `method ${declared.name} is declared once`);
    methods.set(declared.name, declared);
  }
  return methods;
}
