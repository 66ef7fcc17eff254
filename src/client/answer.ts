import { Refusal, type RefusalDetail, type RefusalDetails } from '../base/refusal.ts';
import { Fault } from '../base/fault.ts';
import { isJsonObject, type Json } from '../codec/json.ts';
import { readJson, readJsonText } from '../codec/json_reader.ts';
import { NodeRefusal } from './node_refusal.ts';

/** The largest response that is read: a node's own limit is 10 MiB. */
export const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;

/** The node did not answer: code `transport`. `wasSent` says whether it may have received the request all the same. */
export class NodeSilent extends Fault {
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean, cause?: unknown, code: 'transport' | 'timeout' = 'transport') {
    super(code, message, cause);
    this.wasSent = wasSent;
  }
}

/**
 * The error of a later attempt at the same call. That nothing was sent is true of that attempt alone where an earlier
 * one may have arrived.
 */
export function behindAttempt(error: unknown, hasArrived: boolean): unknown {
  if (!hasArrived || !(error instanceof NodeSilent) || error.wasSent) return error;
  return error instanceof ConnectionClosed
    ? new ConnectionClosed(error.url, true, error)
    : new NodeSilent(error.message, true, error);
}

/** This side has closed the connection: nothing is sent there any more. */
export class ConnectionClosed extends NodeSilent {
  readonly url: string;

  constructor(url: string, wasSent = false, cause?: unknown) {
    super(`the connection to the node at ${url} is closed`, wasSent, cause);
    this.url = url;
  }
}

/** The node did not answer in time: code `timeout`. */
export class NodeTimeout extends NodeSilent {
  constructor(message: string, cause?: unknown) {
    super(message, true, cause, 'timeout');
  }
}

/** A node's answer that is not JSON-RPC: code `protocol`. */
export class NodeNonsense extends Fault {
  constructor(message: string, cause?: unknown) {
    super('protocol', message, cause);
  }
}

/** The outcome of a call: its result, or the node's refusal. */
export type Outcome = { readonly result: Json } | { readonly refusal: Refusal };

/** A message from a node. */
export interface NodeAnswer {
  readonly id: Json | undefined;
  readonly outcome: Outcome;
  /** The number of the head that the node has told beside its result. */
  readonly head: Json | undefined;
  /** The params of a notice, which isn't a response to a call. */
  readonly notice: readonly Json[] | undefined;
}

/** Reads a message from a node, or its bytes. Throws Fault when it isn't a valid response. */
export function readAnswer(message: string | Uint8Array): NodeAnswer {
  return typeof message === 'string'
    ? parsing(() => toNodeAnswer(readJsonText(message)))
    : toNodeAnswer(parse(message));
}

/**
 * The answers to a batch of calls with the ids 0, 1, 2, …, in that order. Throws Fault when it isn't a valid response.
 */
export function readAnswers(bytes: Uint8Array, calls: number): NodeAnswer[] {
  const json = parse(bytes);
  // A node that refuses the whole batch sends a single response.
  if (!Array.isArray(json)) return Array.from({ length: calls }, () => toNodeAnswer(json));
  const answers = Array.from({ length: calls }, () => UNANSWERED);
  for (const answer of json.map(toNodeAnswer))
    if (typeof answer.id === 'number' && answer.id in answers) answers[answer.id] = answer;
  return answers;
}

/** The outcomes of the same. */
export function readBatch(bytes: Uint8Array, calls: number): Outcome[] {
  return readAnswers(bytes, calls).map(({ outcome }) => outcome);
}

const UNANSWERED: NodeAnswer = {
  id: undefined,
  outcome: { refusal: new NodeRefusal('no_answer', 'the node did not answer this call') },
  head: undefined,
  notice: undefined,
};

/** The result; throws the refusal if there is none. */
export function unwrapResult(outcome: Outcome): Json {
  if ('refusal' in outcome) throw outcome.refusal;
  return outcome.result;
}

function toNodeAnswer(json: Json): NodeAnswer {
  if (!isJsonObject(json)) throw new NodeNonsense('the node answered with something that is no JSON-RPC answer');
  const { id, error, result, method, params, head } = json;
  const outcome = isJsonObject(error) ? { refusal: readRefusal(error) } : { result: result ?? null };
  return {
    id,
    outcome,
    head: isJsonObject(head) ? head['number'] : undefined,
    notice: method === 'notice' && Array.isArray(params) ? params : undefined,
  };
}

function parse(bytes: Uint8Array): Json {
  return parsing(() => readJson(bytes));
}

function parsing<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refusal) throw new NodeNonsense(`the node's answer is no JSON: ${error.message}`, error);
    throw error;
  }
}

/** The refusal in the node's words; `code` is its stable name if it gives one, `lineage` the lineage's text. */
function readRefusal(error: { [member: string]: Json }): NodeRefusal {
  const { code, message } = error;
  const { name, code: _lineageCode, lineage, ...told } = isJsonObject(error['data']) ? error['data'] : {};
  const text = typeof message === 'string' ? message : 'the node refused and did not say why';
  const said = text.replace(/:\s*$/, '');
  // Some refusals of the lineage have no text; their name then says what happened.
  const shown = said === text || typeof name !== 'string' ? text : `${said}: ${name.replaceAll('_', ' ')}`;
  const rpcCode = typeof code === 'number' ? code : undefined;
  return new NodeRefusal(typeof name === 'string' ? name : 'refused_by_node', shown, {
    rpcCode,
    data: error['data'],
    details: { ...refusalDetails(told), ...(rpcCode === undefined ? {} : { node_code: rpcCode }) },
    lineage: typeof lineage === 'string' ? lineage : undefined,
  });
}

/** Details that programs can use directly, such as the digest of a refused transaction and the keys that signed it. */
function refusalDetails(told: { readonly [member: string]: Json }): RefusalDetails {
  const details: Record<string, RefusalDetail> = {};
  for (const [member, value] of Object.entries(told)) {
    if (Array.isArray(value)) {
      if (value.every((item) => typeof item === 'string')) details[member] = value;
    } else if (value !== null && typeof value !== 'object') details[member] = value;
  }
  return details;
}
