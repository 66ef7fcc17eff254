import { LINEAGE_ASSERTION, expectRefusal, refusals, type Refusal } from '../../base/refusal.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { DecodeError } from '../../codec/decode_error.ts';
import { refuseJson } from '../../codec/json_refusals.ts';
import type { RequestFault } from './envelope.ts';
import { refuseParams } from './params.ts';

/** The codes of JSON-RPC 2.0 section 5.1, and the lineage's two codes for refusals by the chain or by a method. */
export const errorCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refusedByChain: -32000,
  refusedByMethod: -32003,
} as const;

/** The code of every error of the legacy dialect. */
const legacyCode = 1;

/** Refusals of the dispatcher itself, for every method. */
export const refuseCall = refusals({
  private_keys_not_allowed:
    'this node takes private keys from programs of its own machine, if from any; sign where the key is, or start the node with --private-key-methods always',
  operator_only: 'this method is for the operator of the node: it answers programs of the same machine',
  too_busy: 'this node is busy with {limit} others, as many as it can take; try again in a moment',
  answer_too_large: 'the answer has more than {limit} bytes; ask for a smaller page',
  rate_exceeded: 'this address makes more than {limit} calls a second, heavy ones counted several times; wait a second',
  batch_rate_exceeded:
    'this address makes more than {limit} calls a second, heavy ones counted several times; call {served} of {count} was the last that was served, wait a second with the others',
  batch_too_heavy:
    'the calls of this batch weigh more than {limit} together; call {served} of {count} was the last that was served, send the others by themselves',
  bad_min_head:
    'a head to ask for is the number of a block, or its id in 40 hex digits, as X-Pharos-Min-Head in the head of a request or as "min_head" beside "method"',
  head_out_of_reach:
    'the head of this node is block {head}: {asked} is too far ahead to wait for; ask again in a moment, or another node',
  head_not_reached:
    'the head of this node is block {head}: {asked} has not come within {seconds} seconds; ask again in a moment, or another node',
  head_undone:
    'block {asked} was undone, as a development chain may be taken back and a shorter branch be certified: the head of this node is block {head}; ask without it',
  head_of_another_branch:
    'block {asked} is none of the chain as this node knows it, which has {id} in its place; ask another node, or look at what has become of your transactions',
  still_waiting:
    'after {seconds} seconds the transaction has not come as far as wait_for says, and may still; ask transaction_status_api.find_transaction what has become of it, or send the same one again to wait on: no chain takes it twice',
  no_answer_in_time: { text: 'there was no answer within {seconds} seconds; try again', lineageCode: 2 },
});

/** An error object, before the envelope is put around it. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  /** The lineage's text, where it had such an error. */
  readonly lineage?: string;
  /** The lineage's text before an error of this kind. */
  readonly title?: string;
  /** Members of `data`; `name` is stable, `code` the lineage's number. */
  readonly data?: Readonly<Record<string, unknown>>;
}

/**
 * The error as it is returned: with the lineage's text for clients that want it, otherwise with that text beside ours
 * in `data.lineage`.
 */
export function told({ code, message, lineage, title, data }: RpcError, asLineage: boolean): RpcError {
  const shown = data === undefined ? {} : { data };
  if (asLineage) return { code, message: lineage ?? (title === undefined ? message : `${title}:${message}`), ...shown };
  return lineage === undefined ? { code, message, ...shown } : { code, message, data: { ...data, lineage } };
}

export function invalidRequest(fault: RequestFault): RpcError {
  return { code: errorCodes.invalidRequest, ...fault, data: { name: 'invalid_request' } };
}

export function parseError(refusal: Refusal): RpcError {
  return {
    code: errorCodes.parseError,
    message: `Parse error: ${refusal.message}`,
    data: { ...refusal.details, name: refusal.code },
  };
}

/** `near` is a method that may have been meant. */
export function methodNotFound(method: string, near: string | undefined): RpcError {
  const name = shortened(method);
  const advice = near === undefined ? 'jsonrpc.get_methods lists all' : `did you mean ${near}?`;
  return {
    code: errorCodes.methodNotFound,
    message: `there is no method ${name}; ${advice}`,
    lineage: `Could not find method ${name}`,
    data: { name: 'method_not_found', method: name, ...(near === undefined ? {} : { near }) },
  };
}

/** Reveals nothing about the cause; the operator's log does. */
export const internalError: RpcError = {
  code: errorCodes.internalError,
  message: 'Internal error',
  data: { name: 'internal_error' },
};

/** `call` without group, method and perhaps params. */
export const badCall: RpcError = {
  code: errorCodes.invalidParams,
  message:
    'Invalid params: the params of "call" are ["<group>", "<method>", {<params>}], such as ["alexandria_api", "info", {}]',
  lineage: 'Invalid params: params should be {"api", "method", "args"',
  data: { code: LINEAGE_ASSERTION, name: 'bad_call_params', member: 'params' },
};

/** The texts of the daemon of 2018. */
export function noLegacyMethod(name: string, near: string | undefined): RpcError {
  const data = { name: 'method_not_found', method: shortened(name), ...(near === undefined ? {} : { near }) };
  return { code: errorCodes.methodNotFound, message: `no method with name '${shortened(name)}'`, data };
}

/** Replaces a response that exceeds the limit. */
export function tooLarge(limit: number): RpcError {
  return refused(
    expectRefusal(() => refuseCall.answer_too_large({ limit })),
    errorCodes.refusedByMethod,
  );
}

/** The error for a client that calls too often. */
export function rateExceeded(limit: number): RpcError {
  return refused(
    expectRefusal(() => refuseCall.rate_exceeded({ limit })),
    errorCodes.refusedByMethod,
  );
}

/** The error for a body that would have to wait where too many wait already. */
export function tooBusy(limit: number): RpcError {
  return refused(
    expectRefusal(() => refuseCall.too_busy({ limit })),
    errorCodes.refusedByMethod,
  );
}

/** A refusal as an error: bad params by their kind, the rest with the code of the part that refused. */
export function refused(refusal: Refusal, code: number): RpcError {
  const member = refusal instanceof DecodeError ? { member: refusal.path } : {};
  const data = { ...refusal.details, ...member, code: refusal.lineageCode, name: refusal.code };
  if (paramsRefusals.has(refusal.code))
    return { code: errorCodes.invalidParams, ...worded(refusal, 'Invalid params: '), data };
  const title = lineageTitle(refusal);
  // Only assertions raised by a method itself have a code of their own in the lineage (rpc_conventions.md#codes-of-the-lineage).
  const ofChain = refusal.lineageCode === LINEAGE_ASSERTION ? code : errorCodes.refusedByChain;
  const { lineage } = refusal;
  return {
    code: ofChain,
    message: refusal.message,
    title,
    ...(lineage === undefined ? {} : { lineage: `${title}:${lineage}` }),
    data,
  };
}

function worded({ message, lineage }: Refusal, prefix: string): Pick<RpcError, 'message' | 'lineage'> {
  const ours = { message: `${prefix}${message}` };
  return lineage === undefined ? ours : { ...ours, lineage: `${prefix}${lineage}` };
}

/** Refusals that concern the JSON of the request rather than the chain; `bad_value` is a codec's DecodeError. */
const paramsRefusals: ReadonlySet<string> = new Set([
  'bad_value',
  ...Object.keys(refuseParams.texts),
  ...Object.keys(refuseJson.texts),
]);

/** The object that an answer has as its `error`, for those who show it in another place. */
export function errorObject({ code, message, data = {} }: RpcError): {
  code: number;
  message: string;
  data: Record<string, unknown>;
} {
  return { code, message, data: errorDataJson(data) };
}

/** `"error":{…}` and the id, in the member order of the lineage. */
export function errorEnvelope(error: RpcError, id: string): string {
  const data = error.data === undefined ? '' : `,"data":${writeJson(errorDataJson(error.data))}`;
  return `{"jsonrpc":"2.0","error":{"code":${error.code},"message":${JSON.stringify(error.message)}${data}},"id":${id}}`;
}

/** The same in the legacy dialect: one code for all errors, the lineage's number and name in the text. */
export function legacyErrorEnvelope(error: RpcError, id: string): string {
  const lineageCode = typeof error.data?.['code'] === 'number' ? error.data['code'] : 10;
  const { name, title } = lineageError(lineageCode);
  const text = error.message.startsWith(`${title}:`) ? error.message.slice(title.length + 1) : error.message;
  const message = JSON.stringify(`${lineageCode} ${name}: ${title}\n${text}`);
  return `{"id":${id},"error":{"code":${legacyCode},"message":${message},"data":${writeJson(errorDataJson(error.data ?? {}))}}}`;
}

/** Large integers in `data` are strings, as everywhere in answers. */
function errorDataJson(data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(data).map(([member, value]) => [member, typeof value === 'bigint' ? value.toString() : value]),
  );
}

/** The exception's name and title by number (rpc_conventions.md#titles-of-the-lineage). */
const titles: ReadonlyMap<number, { readonly name: string; readonly title: string }> = new Map([
  [0, { name: 'unspecified', title: 'unspecified' }],
  [2, { name: 'timeout_exception', title: 'Timeout' }],
  [4, { name: 'parse_error_exception', title: 'Parse Error' }],
  [6, { name: 'key_not_found_exception', title: 'Key Not Found' }],
  [7, { name: 'bad_cast_exception', title: 'Bad Cast' }],
  [8, { name: 'out_of_range_exception', title: 'Out of Range' }],
  [10, { name: 'assert_exception', title: 'Assert Exception' }],
  [11, { name: 'eof_exception', title: 'End Of File' }],
  [18, { name: 'aes_exception', title: 'AES error' }],
  [19, { name: 'overflow_exception', title: 'Integer Overflow' }],
  [20, { name: 'underflow_exception', title: 'Integer Underflow' }],
  [21, { name: 'divide_by_zero_exception', title: 'Integer Divide By Zero' }],
  [3000000, { name: 'transaction_exception', title: 'transaction exception' }],
  [3010000, { name: 'tx_missing_active_auth', title: 'missing required active authority' }],
  [3020000, { name: 'tx_missing_owner_auth', title: 'missing required owner authority' }],
  [3040000, { name: 'tx_missing_other_auth', title: 'missing required other authority' }],
  [3050000, { name: 'tx_irrelevant_sig', title: 'irrelevant signature included' }],
  [3060000, { name: 'tx_duplicate_sig', title: 'duplicate signature included' }],
  [4030100, { name: 'transaction_expiration_exception', title: 'transaction expiration exception' }],
  [4030200, { name: 'transaction_tapos_exception', title: 'transaction tapos exception' }],
  [4100000, { name: 'plugin_exception', title: 'plugin exception' }],
  [3070000, { name: 'tx_exceeded_bandwidth', title: 'exceeded fee-free ops max. allowed bandwidth' }],
]);

/** For exceptions of the standard library, the lineage used the text as the title as well. */
const STANDARD_LIBRARY = 13;

function lineageTitle({ lineageCode, lineage, message }: Refusal): string {
  return lineageCode === STANDARD_LIBRARY ? (lineage ?? message) : lineageError(lineageCode).title;
}

function lineageError(lineageCode: number): { name: string; title: string } {
  return titles.get(lineageCode) ?? { name: 'unspecified', title: 'unspecified' };
}

/** Enough to recognise an invented name. */
const SHOWN_CHARACTERS = 80;

function shortened(name: string): string {
  return name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name;
}
