import { Type, type StaticEncode, type TProperties, type TSchema } from '../jsonrpc/envelope/typebox.ts';
import { assert } from '../base/assert.ts';
import { Refusal, type RefusalText } from '../base/refusal.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import type { Json } from '../codec/json.ts';
import { readJson } from '../codec/json_reader.ts';
import { speaksLineage, type EncodingOptions } from '../codec/encoding_options.ts';
import { PlainJson } from '../codec/plain_json.ts';
import type { Weight } from '../jsonrpc/limits/weight.ts';
import { WrittenJson, type GivenParams, type Method as AnyMethod, type Run } from '../jsonrpc/envelope/method.ts';
import { ParamsReader, type ParamsOf } from '../jsonrpc/envelope/params.ts';
import { compileText } from '../jsonrpc/envelope/results.ts';
import { ChunkedResult } from '../jsonrpc/chunked_result.ts';
import { CURSOR, onlyMember } from '../jsonrpc/envelope/cursor.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { BroadcastOutcome, Call, VerifierCall } from './services.ts';
import type { WaitFor } from './wait_for.ts';
import { AfterList, Pieces, Chunks } from './chunks.ts';

export { registerMethods, WrittenJson } from '../jsonrpc/envelope/method.ts';

/** The part of a declaration that every method has. */
interface Described<P extends TProperties, R extends TSchema> {
  /** `group.method`, or a bare name. */
  readonly name: string;
  readonly doc: string;
  /** The sentence that follows the doc where a chain is known: it names the chain's own figures. */
  readonly docOfChain?: (parameters: ChainParameters) => string;
  /** The params members in their declared order, which is the positional order of the legacy dialect. */
  readonly params: P;
  readonly result: R;
  readonly example: { readonly params: Json; readonly result?: Json };
  readonly stability: 'stable' | 'experimental' | 'deprecated';
  /** The refusals besides those of bad params: stable code → text. */
  readonly refuses?: Readonly<Record<string, RefusalText>>;
  /** Refusals for clients of the lineage only. */
  readonly refusesLineage?: Readonly<Record<string, RefusalText>>;
  /** Takes operations, and refuses what they refuse as well: each kind of operation declares its own refusals. */
  readonly refusesForOperations?: boolean;
  /** Takes a private key, so it is enabled only where the operator allows that. */
  readonly needsPrivateKey?: boolean;
  /** Acts on the node as only its operator may, so it answers programs of the same machine only. */
  readonly forOperator?: boolean;
  /** The weight of a call, where that is more than a small read. */
  readonly weight?: Weight;
  /** The most bytes of its params, for methods that need more than most. */
  readonly paramsBytes?: number;
}

/**
 * The result of a handler; a result, or the only member of one, may come in pieces, and a list in chunks, with a cursor
 * behind it.
 */
type Handled<R extends TSchema> =
  | Sliceable<StaticEncode<R>>
  | { [M in keyof StaticEncode<R>]: Sliceable<StaticEncode<R>[M]> | AfterList<StaticEncode<R>[M]> }
  | WrittenJson;
type Sliceable<T> = T | Pieces | (T extends readonly (infer Item)[] ? Chunks<Item> : never);

/**
 * A method that the front thread answers from committed state. `handler` is called again when a block arrived
 * meanwhile. Where the caller can request the pending state too, `pending` answers that, and the method has the param
 * of that name.
 */
export interface ReadDeclaration<P extends TProperties, R extends TSchema> extends Described<P, R> {
  readonly thread: 'read';
  readonly handler: (params: ParamsOf<P>, call: Call) => Handled<R>;
  readonly pending?: (params: ParamsOf<P>, call: Call) => Promise<Handled<R>>;
}

/** An asynchronous method: it calls the writer thread or waits for something. */
export interface WriterDeclaration<P extends TProperties, R extends TSchema> extends Described<P, R> {
  readonly thread: 'writer';
  /**
   * True if it does something that a repetition would do again, or that goes on without its caller: such a call has no
   * deadline.
   */
  readonly changes: boolean;
  readonly handler: (params: ParamsOf<P>, call: Call) => Promise<StaticEncode<R> | WrittenJson>;
}

/**
 * An asynchronous method that has signatures verified one call behind the other: few such calls wait at once
 * (Limits.verifierCalls).
 */
export interface VerifierDeclaration<P extends TProperties, R extends TSchema> extends Described<P, R> {
  readonly thread: 'verifier';
  readonly changes: boolean;
  readonly handler: (params: ParamsOf<P>, call: VerifierCall) => Promise<StaticEncode<R> | WrittenJson>;
}

/** The work that a broadcast gives to a verifier. */
export interface BroadcastRequest {
  readonly transaction: SignedTransaction;
  readonly waitFor: WaitFor;
  /** True if the answer shows the transaction. */
  readonly showsTransaction?: boolean;
  /** Refuse when the head block is older, in seconds; negative disables the check. */
  readonly maxBlockAge: number;
}

/**
 * A method whose params go to a verifier unread: `request` runs there, `handler` on the front thread when the outcome
 * is known.
 */
export interface BroadcastDeclaration<P extends TProperties, R extends TSchema> extends Described<P, R> {
  readonly thread: 'broadcast';
  readonly request: (params: ParamsOf<P>) => BroadcastRequest;
  readonly handler: (outcome: BroadcastOutcome, call: Call) => StaticEncode<R> | WrittenJson;
  /** Returns an expired transaction as an outcome like any other; by default, it is refused. */
  readonly answersExpired?: boolean;
}

export type Declaration<P extends TProperties, R extends TSchema> =
  | ReadDeclaration<P, R>
  | WriterDeclaration<P, R>
  | VerifierDeclaration<P, R>
  | BroadcastDeclaration<P, R>;

/**
 * Reads a verifier's work for a broadcast from the text of its params, empty where there are none; also refuses text
 * that is not JSON.
 */
export type ReadRequest = (params: Uint8Array, positional: boolean, encoding: EncodingOptions) => BroadcastRequest;

/** A method of a node, with the types of its params erased. */
export interface Method extends AnyMethod<VerifierCall> {
  readonly docOfChain?: (parameters: ChainParameters) => string;
  readonly refusesForOperations: boolean;
  /** For a broadcast, what verifiers do. */
  readonly request?: ReadRequest;
}

/**
 * A method with the types of its params and result, for callers from TypeScript. These types do not exist at run time.
 */
export interface TypedMethod<N extends string, P extends TProperties, R extends TSchema> extends Method {
  readonly name: N;
  readonly types?: { readonly params: P; readonly result: R };
}

/** Declares a method. */
export function method<const N extends string, const P extends TProperties, const R extends TSchema>(
  declaration: Declaration<P, R> & { readonly name: N },
): TypedMethod<N, P, R> {
  const {
    name,
    doc,
    result,
    example,
    stability,
    refuses = {},
    refusesLineage = {},
    refusesForOperations = false,
    needsPrivateKey = false,
    forOperator = false,
    weight = {},
  } = declaration;
  assert(/^([a-z_]+\.)?[a-z0-9_]+$/.test(name), `a method is called group.name, not ${name}`);
  const reader = new ParamsReader(declaration.params);
  return {
    name,
    group: name.includes('.') ? name.slice(0, name.indexOf('.')) : '',
    doc,
    ...(declaration.docOfChain === undefined ? {} : { docOfChain: declaration.docOfChain }),
    result,
    example,
    stability,
    refuses: { ...refuses, ...refusesLineage },
    refusesLineageOnly: new Set(Object.keys(refusesLineage)),
    refusesForOperations,
    needsPrivateKey,
    forOperator,
    ...('changes' in declaration ? { changes: declaration.changes } : {}),
    ...(declaration.thread === 'verifier' ? { verifies: true } : {}),
    weight,
    ...(declaration.paramsBytes === undefined ? {} : { paramsBytes: declaration.paramsBytes }),
    params: reader.schema,
    paramNames: reader.names,
    run: makeRun(declaration, reader),
    ...(declaration.thread === 'broadcast' ? { request: makeRequest(declaration, reader) } : {}),
  };
}

function makeRun<P extends TProperties, R extends TSchema>(
  declaration: Declaration<P, R>,
  reader: ParamsReader<P>,
): Run<VerifierCall> {
  const read = (given: GivenParams, { encoding }: Call): ParamsOf<P> => reader.readGiven(given, encoding);
  const write = resultWriter(declaration.result);
  if (declaration.thread === 'writer' || declaration.thread === 'verifier') {
    return {
      kind: 'wait',
      answer: async (given, call) => write(await declaration.handler(read(given, call), call), call),
    };
  }
  if (declaration.thread === 'broadcast') return { kind: 'hand_on', answer: makeBroadcast(declaration, write) };
  const { handler, pending } = declaration;
  const answer = (params: ParamsOf<P>, call: Call): unknown =>
    pending !== undefined && asksForPending(params)
      ? pending(params, call).then((result) => write(result, call))
      : write(handler(params, call), call);
  return { kind: 'read', answer: (given, call) => answer(read(given, call), call) };
}

/** Turns what a handler returns into JSON by the declared result. */
function resultWriter(schema: TSchema): (result: unknown, call: Call) => unknown {
  const only = onlyMember(schema);
  const textOf = compileText(schema);
  const onlyText = only && compileText(only.schema);
  const list = only?.schema ?? schema;
  const cursorMember = cursorWriter(schema);
  const itemText = (Type.IsArray(list) ? compileText(list.items) : undefined) ?? writeJson;
  return (result, { encoding }) => {
    if (result instanceof WrittenJson) return result;
    const value: unknown = only === undefined ? result : Reflect.get(Object(result), only.name);
    const cursor = (): string =>
      speaksLineage(encoding) ? '' : cursorMember(Reflect.get(Object(result), CURSOR), encoding);
    if (value instanceof Pieces) return new ChunkedResult(only?.name, () => value.next(), cursor);
    if (value instanceof Chunks) {
      const textOfItem = (item: unknown): string => itemText(item, encoding);
      return new ChunkedResult(
        only?.name,
        listTexts(value, value.repeats ? rememberingTexts(textOfItem) : textOfItem),
        cursor,
      );
    }
    if (textOf === undefined) return result;
    // The legacy dialect shows the value of an only member, and null where that is absent.
    if (encoding.dialect === 'default' || only === undefined) return new WrittenJson(textOf(result, encoding));
    return onlyText === undefined || value === undefined ? result : new WrittenJson(onlyText(value, encoding));
  };
}

/** Writes the cursor of a page behind its list; nothing where there is none. */
function cursorWriter(schema: TSchema): (cursor: unknown, encoding: EncodingOptions) => string {
  const declared = Type.IsObject(schema) ? schema.properties[CURSOR] : undefined;
  if (declared === undefined) return () => '';
  const textOf = compileText(declared) ?? writeJson;
  return (given, encoding) => {
    const cursor: unknown = given instanceof AfterList ? given.value : given;
    return cursor === undefined ? '' : `,"${CURSOR}":${textOf(cursor, encoding)}`;
  };
}

/** Writing this many characters of records full of keys takes about a millisecond. */
const PIECE_CHARACTERS = 16 * 1024;

/** The JSON of a list, some items at a time. */
function listTexts(items: Chunks<unknown>, textOf: (item: unknown) => string): () => string | undefined {
  let found: readonly unknown[] | undefined = [];
  let [next, count] = [0, 0];
  return () => {
    if (found === undefined) return undefined;
    if (next === found.length) {
      found = items.take();
      next = 0;
    }
    if (found === undefined) return count === 0 ? '[]' : ']';
    let text = '';
    while (next < found.length && text.length < PIECE_CHARACTERS)
      text += `${count++ === 0 ? '[' : ','}${textOf(found[next++])}`;
    return text;
  };
}

/** Writes an item that stands several times in a list once. */
function rememberingTexts(textOf: (item: unknown) => string): (item: unknown) => string {
  const texts = new Map<unknown, string>();
  return (item) => {
    const text = texts.get(item) ?? textOf(item);
    texts.set(item, text);
    return text;
  };
}

function asksForPending(params: object): boolean {
  return 'pending' in params && params.pending === true;
}

/** Sends the params to the verifiers unread. */
function makeBroadcast<P extends TProperties, R extends TSchema>(
  { name, handler, answersExpired = false }: BroadcastDeclaration<P, R>,
  write: (result: unknown, call: Call) => unknown,
): Extract<Run<VerifierCall>, { kind: 'hand_on' }>['answer'] {
  const answer = (outcome: BroadcastOutcome, call: Call): unknown => write(handler(outcome, call), call);
  return (params, call, senderId) =>
    call.intake.broadcast({ method: name, params, encoding: call.encoding, senderId }).then(
      (outcome) => answer(outcome, call),
      (error: unknown) => answer(answersExpired ? expiredOutcome(error, call) : rethrown(error), call),
    );
}

function rethrown(error: unknown): never {
  throw error;
}

/** The refusals of a transaction that no block can take any more. */
const EXPIRED: ReadonlySet<string> = new Set(['transaction_expired', 'expires_too_soon']);

/** The outcome of a transaction that was refused because it had expired. */
function expiredOutcome(error: unknown, { encoding }: Call): BroadcastOutcome {
  if (!(error instanceof Refusal) || !EXPIRED.has(error.code) || speaksLineage(encoding)) return rethrown(error);
  return {
    transactionId: String(error.details['id']),
    blockNumber: -1,
    transactionNumber: -1,
    expired: true,
    transaction: '',
  };
}

function makeRequest<P extends TProperties, R extends TSchema>(
  { request }: BroadcastDeclaration<P, R>,
  reader: ParamsReader<P>,
): ReadRequest {
  return (params, positional, encoding) =>
    request(
      reader.readPlain(new PlainJson(params), positional, encoding) ??
        reader.readGiven({ json: params.length === 0 ? undefined : readJson(params), positional }, encoding),
    );
}

/** The doc of a method on a chain, with the chain's own figures. */
export function methodDoc({ doc, docOfChain }: Method, parameters: ChainParameters): string {
  return docOfChain === undefined ? doc : `${doc} ${docOfChain(parameters)}`;
}

/** All methods of a node by name. */
export type Methods = ReadonlyMap<string, Method>;
