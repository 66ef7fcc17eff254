import { assert } from '../../base/assert.ts';
import type { RefusalText } from '../../base/refusal.ts';
import type { Json } from '../../codec/json.ts';
import type { TSchema } from './typebox.ts';
import type { Weight } from '../limits/weight.ts';

/** JSON text that is already written: a cached result, a stored block. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Params as received: by name or by position. */
export interface GivenParams {
  readonly json: Json | undefined;
  readonly positional: boolean;
}

/**
 * A method as it is called and described. `C` is the context passed with a call: everything that the method can use of
 * the program that serves it.
 */
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
  /** The refusals besides those of bad params: stable code → text. */
  readonly refuses: Readonly<Record<string, RefusalText>>;
  /** Those of them that only clients of the lineage get: in the default dialect the same call has a result. */
  readonly refusesLineageOnly?: ReadonlySet<string>;
  /** Takes a private key, so it is enabled only where the operator allows that. */
  readonly needsPrivateKey: boolean;
  /** Acts on the program as only its operator may, so it answers programs of the same machine only. */
  readonly forOperator?: boolean;
  /**
   * Does something that a repetition would do again, or that goes on without its caller: nobody is told to try again,
   * and it has no deadline.
   */
  readonly changes?: boolean;
  /** Waits in the queue of the verifiers, which has less room than other waiting calls. */
  readonly verifies?: boolean;
  readonly weight: Weight;
  /** The most bytes of its params, for methods that need more than most (Host.paramsBytes). */
  readonly paramsBytes?: number;
  readonly run: Run<C>;
}

/** Executes a method. */
export type Run<C> =
  /**
   * Immediately, from the versioned state: a result may be repeated as long as the version stays. A promise is awaited,
   * a ChunkedResult taken in time slices.
   */
  | { readonly kind: 'read'; readonly answer: (given: GivenParams, context: C) => unknown }
  /** Asynchronously. */
  | { readonly kind: 'wait'; readonly answer: (given: GivenParams, context: C) => Promise<unknown> }
  /**
   * The source of its params is handed on unread, empty where there are none; it is a part of the body, so it is copied
   * before this returns. `source` is the number of the sender (http/sender_ids.ts).
   */
  | { readonly kind: 'hand_on'; readonly answer: (params: Uint8Array, context: C, source: number) => Promise<unknown> };

/** Methods by name. */
export type Methods<M extends Method<never>> = ReadonlyMap<string, M>;

/** Combines the registers of the groups into one; each name occurs once. */
export function registerMethods<M extends Method<never>>(...groups: readonly (readonly M[])[]): Methods<M> {
  const methods = new Map<string, M>();
  for (const declared of groups.flat()) {
    assert(!methods.has(declared.name), `method ${declared.name} is declared once`);
    methods.set(declared.name, declared);
  }
  return methods;
}
