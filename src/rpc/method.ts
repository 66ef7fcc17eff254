import type { StaticEncode, TProperties, TSchema } from 'typebox';
import { assert } from '../base/assert.ts';
import type { RefusalText } from '../base/refusal.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import type { Notation } from '../codec/notation.ts';
import { PlainJson } from '../codec/plain_json.ts';
import { ParamsReader } from './params.ts';
import type { ParamsOf } from './params.ts';
import { compileEncode } from './results.ts';
import type { BroadcastOutcome, Call } from './services.ts';

/** JSON text that is already written: an answer from a cache, a stored block. */
export class WrittenJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What every method says about itself. */
interface Described<P extends TProperties, R extends TSchema> {
  /** `group.method`, or a bare name. */
  readonly name: string;
  readonly doc: string;
  /** The params members in their declared order, which is the positional order of the legacy dialect. */
  readonly params: P;
  readonly result: R;
  readonly example: { readonly params: Json; readonly result?: Json };
  readonly stability: 'stable' | 'experimental' | 'deprecated';
  /** What it may refuse besides bad params: stable code → text. */
  readonly refuses?: Readonly<Record<string, RefusalText>>;
  /** Takes operations, and refuses what they refuse as well: each kind of operation declares that itself. */
  readonly refusesForOperations?: boolean;
  /** Takes a private key, so it answers only where the operator allows that. */
  readonly needsPrivateKey?: boolean;
}

/**
 * A method that the front answers from committed state. `handler` is called again when a block arrived meanwhile. Where the
 * asker can ask for the pending state too, `pending` answers that, and the method has the param of that name.
 */
export interface ReadDeclaration<P extends TProperties, R extends TSchema> extends Described<P, R> {
  readonly thread: 'read';
  readonly handler: (params: ParamsOf<P>, call: Call) => StaticEncode<R> | WrittenJson;
  readonly pending?: (params: ParamsOf<P>, call: Call) => Promise<StaticEncode<R> | WrittenJson>;
}

/** A method that takes its time: it asks the writer or waits for something. */
export interface WriterDeclaration<P extends TProperties, R extends TSchema> extends Described<P, R> {
  readonly thread: 'writer';
  readonly handler: (params: ParamsOf<P>, call: Call) => Promise<StaticEncode<R> | WrittenJson>;
}

/** What a verifier is to do with a broadcast. */
export interface BroadcastOrder {
  readonly transaction: SignedTransaction;
  readonly waitFor: 'accepted' | 'block';
  /** Refuse when the head block is older, in seconds; negative is no check. */
  readonly maxBlockAge: number;
}

/** A method whose params go to a verifier unread: `order` runs there, `handler` on the front when the outcome is known. */
export interface BroadcastDeclaration<P extends TProperties, R extends TSchema> extends Described<P, R> {
  readonly thread: 'broadcast';
  readonly order: (params: ParamsOf<P>) => BroadcastOrder;
  readonly handler: (outcome: BroadcastOutcome, call: Call) => StaticEncode<R> | WrittenJson;
  /** A transaction that came too late is an outcome like any other; otherwise that is refused. */
  readonly answersExpired?: boolean;
}

export type Declaration<P extends TProperties, R extends TSchema> =
  | ReadDeclaration<P, R>
  | WriterDeclaration<P, R>
  | BroadcastDeclaration<P, R>;

/** Params as they came: by name or by position. */
export interface GivenParams {
  readonly json: Json | undefined;
  readonly positional: boolean;
}

/** A declared method with the types of its params folded away, as the dispatcher and the documents use it. */
export interface Method {
  readonly name: string;
  readonly group: string;
  readonly doc: string;
  readonly params: TSchema;
  readonly paramNames: readonly string[];
  readonly result: TSchema;
  readonly example: { readonly params: Json; readonly result?: Json };
  readonly stability: 'stable' | 'experimental' | 'deprecated';
  readonly refuses: Readonly<Record<string, RefusalText>>;
  readonly refusesForOperations: boolean;
  readonly needsPrivateKey: boolean;
  readonly run: Run;
}

/** How a method is carried out, by the thread that does it. */
export type Run =
  | { readonly thread: 'read'; readonly answer: (given: GivenParams, call: Call) => unknown }
  | { readonly thread: 'writer'; readonly answer: (given: GivenParams, call: Call) => Promise<unknown> }
  | {
      readonly thread: 'broadcast';
      /** From the text of the params, empty where there are none; refuses what is no JSON too. */
      readonly order: (params: Uint8Array, positional: boolean, notation: Notation) => BroadcastOrder;
      readonly answer: (outcome: BroadcastOutcome, call: Call) => unknown;
      readonly answersExpired: boolean;
    };

/** A method that remembers what it takes and answers, for those who call it from TypeScript. There is nothing of it when it runs. */
export interface TypedMethod<N extends string, P extends TProperties, R extends TSchema> extends Method {
  readonly name: N;
  readonly types?: { readonly params: P; readonly result: R };
}

/** Declares a method; its params are compiled here, once. */
export function method<const N extends string, const P extends TProperties, const R extends TSchema>(
  declaration: Declaration<P, R> & { readonly name: N },
): TypedMethod<N, P, R> {
  const { name, doc, result, example, stability, refuses = {}, refusesForOperations = false, needsPrivateKey = false } = declaration;
  assert(/^([a-z_]+\.)?[a-z0-9_]+$/.test(name), `a method is called group.name, not ${name}`);
  const reader = new ParamsReader(declaration.params);
  const group = name.includes('.') ? name.slice(0, name.indexOf('.')) : '';
  return {
    name,
    group,
    doc,
    result,
    example,
    stability,
    refuses,
    refusesForOperations,
    needsPrivateKey,
    params: reader.schema,
    paramNames: reader.names,
    run: runOf(declaration, reader),
  };
}

function runOf<P extends TProperties, R extends TSchema>(declaration: Declaration<P, R>, reader: ParamsReader<P>): Run {
  const read = ({ json, positional }: GivenParams, notation: Notation): ParamsOf<P> =>
    positional ? reader.readPositional(json, notation) : reader.read(json, notation);
  const encode = compileEncode(declaration.result);
  const write = (result: unknown, { notation }: Call): unknown =>
    encode === undefined || result instanceof WrittenJson ? result : encode(result, notation);
  if (declaration.thread === 'writer') {
    return { thread: 'writer', answer: async (given, call) => write(await declaration.handler(read(given, call.notation), call), call) };
  }
  if (declaration.thread === 'broadcast') {
    return {
      thread: 'broadcast',
      order: (params, positional, notation) =>
        declaration.order(
          reader.readPlain(new PlainJson(params), positional, notation) ??
            read({ json: params.length === 0 ? undefined : readJson(params), positional }, notation),
        ),
      answer: (outcome, call) => write(declaration.handler(outcome, call), call),
      answersExpired: declaration.answersExpired ?? false,
    };
  }
  const { handler, pending } = declaration;
  const answer = (params: ParamsOf<P>, call: Call): unknown =>
    pending !== undefined && asksForPending(params)
      ? pending(params, call).then((result) => write(result, call))
      : write(handler(params, call), call);
  return { thread: 'read', answer: (given, call) => answer(read(given, call.notation), call) };
}

function asksForPending(params: object): boolean {
  return 'pending' in params && params.pending === true;
}

/** All methods of a node by name. */
export type Methods = ReadonlyMap<string, Method>;

/** One register from the registers of the groups; a name stands in it once. */
export function registerMethods(...groups: readonly (readonly Method[])[]): Methods {
  const methods = new Map<string, Method>();
  for (const declared of groups.flat()) {
    assert(!methods.has(declared.name), `method ${declared.name} is declared once`);
    methods.set(declared.name, declared);
  }
  return methods;
}
