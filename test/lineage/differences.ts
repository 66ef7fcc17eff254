import type { Json } from '../../src/codec/json.ts';

/** A recorded call, what the lineage answered, and what this node answers. */
export interface Exchange {
  readonly name: string;
  /** The method; '' where the request names none. */
  readonly method: string;
  readonly recorded: Answer;
  readonly ours: Answer;
  /** Recorded on a chain that is not ours any more: only forms can be compared. */
  readonly late: boolean;
}

/** An answer as far as it is compared. `json` is the whole of it. */
export interface Answer {
  readonly json: Json | undefined;
  readonly result: Json | undefined;
  readonly error: { readonly code: number; readonly message: string; readonly data: { [member: string]: Json } } | undefined;
}

/** Something that this node answers otherwise, and the rule that demands it. */
export interface Difference {
  /** A point of the table of dialects: which text wins where the interface and the lineage contradict each other. */
  readonly rule: string;
  /** The rule in words. */
  readonly what: string;
  readonly covers: (exchange: Exchange) => boolean;
}

/** Names that the recorder gave to calls that are wrong on purpose. */
const wrongOnPurpose = /\((?:bad|missing|extra|empty params|no params|params) ?|^protocol: |^websocket: /;
const errorIs = ({ error }: Answer, code: number, ...names: readonly string[]): boolean =>
  error?.code === code && (names.length === 0 || names.includes(String(error.data['name'])));
const bothRefuse = ({ ours, recorded }: Exchange): boolean => ours.error !== undefined && recorded.error !== undefined && ours.error.code === recorded.error.code;
/** The text behind the title. */
const textOf = ({ error }: Answer): string => error?.message.slice(error.message.indexOf(':') + 1) ?? '';

/** Every difference between the recorded answers and ours. An exchange that differs and is covered by none fails the test, and so does an entry that covers none. */
export const differences: readonly Difference[] = [
  {
    rule: 'unknown method',
    what: 'bad params −32602 with the member named; the lineage took its own view of missing, additional and ill-typed members, or said "Bad Cast"',
    covers: ({ name, ours, recorded }) =>
      errorIs(ours, -32602) && (wrongOnPurpose.test(name) || recorded.error !== undefined) && String(ours.error?.data['name']) !== 'bad_call_params',
  },
  {
    rule: 'unknown method',
    what: 'bad params −32602: a digest has 64 digits; the lineage filled it up with zeros',
    covers: ({ name, ours }) => name === 'alexandria_api.sign_digest #2' && errorIs(ours, -32602, 'bad_value'),
  },
  {
    rule: 'unknown method',
    what: 'bad params −32602 for a `call` without group and method',
    covers: ({ ours, recorded }) => errorIs(ours, -32602, 'bad_call_params') && recorded.error !== undefined,
  },
  {
    rule: 'unknown method',
    what: 'an unknown method is −32601',
    covers: ({ ours, recorded, method }) => errorIs(ours, -32601, 'method_not_found') && (recorded.error !== undefined || method.startsWith('debug_node_api.')),
  },
  {
    rule: 'unknown method',
    what: 'malformed JSON is −32700; the lineage read JSON leniently, and some of it wrongly',
    covers: ({ ours, name }) => errorIs(ours, -32700) && /^(?:protocol|websocket): /.test(name),
  },
  {
    rule: 'unknown method',
    what: 'a bad request is −32600',
    covers: ({ ours, name }) => errorIs(ours, -32600) && name.startsWith('protocol: '),
  },
  {
    rule: 'unknown method',
    what: 'refused by the chain or the method with the same code and the text for people; the C++ expression before it is replaced by the stable data.name',
    covers: (exchange) => bothRefuse(exchange) && textOf(exchange.ours) !== '' && textOf(exchange.recorded).endsWith(`: ${textOf(exchange.ours)}`),
  },
  {
    rule: 'unknown method',
    what: 'refused with the same code where the lineage showed nothing but its C++ expression: ours says what is wrong',
    covers: (exchange) => bothRefuse(exchange) && /^[^ ].*: $/.test(textOf(exchange.recorded)) && textOf(exchange.ours) !== '',
  },
  {
    rule: 'unknown method',
    what: 'text of a malformed JSON document inside of an operation: ours names the place',
    covers: (exchange) => bothRefuse(exchange) && errorIs(exchange.ours, -32000, 'json_malformed'),
  },
  {
    rule: 'who gets it',
    what: 'a bare method name is a call of the legacy dialect, with its envelope and its errors',
    covers: ({ name, ours, recorded }) => /^protocol: method (?:without dot|empty)$/.test(name) && ours.error?.code === 1 && recorded.error?.code === -32002,
  },
  {
    rule: 'params',
    what: '`[]` and `[{…}]` are accepted as `{}` and `{…}`, and a null stands for an optional member that is not set',
    covers: ({ name, ours, recorded }) => /\(params (?:empty array|array of one object)\)|=null\)$|\(missing /.test(name) && ours.error === undefined && recorded.error !== undefined,
  },
  {
    rule: 'operations in results',
    what: 'input of operations in both forms, with or without the suffix',
    covers: ({ name, ours, recorded }) => name.startsWith('protocol: operation encoding') && ours.result !== undefined && recorded.error !== undefined,
  },
  {
    rule: 'asset objects',
    what: 'output as the interface shows for each operation: {amount, symbol} in feed_publish and escrow_transfer, {amount, precision, nai} in escrow_release',
    covers: ({ ours, recorded }) => ours.result !== undefined && sameJson(withAssetTexts(ours.result), recorded.result),
  },
  {
    rule: 'batch and notification',
    what: 'an element without id gets no answer',
    covers: ({ name, ours }) => name.startsWith('protocol: ') && (ours.json === undefined || Array.isArray(ours.json)),
  },
  {
    rule: 'batch and notification',
    what: 'ids are echoed as they came, whatever their size',
    covers: ({ name, ours, recorded }) => /^protocol: id /.test(name) && (ours.result !== undefined || sameJson(ours.result, recorded.result)),
  },
  {
    rule: 'block_api',
    what: 'the bare block or header, or null',
    covers: ({ method, ours, recorded, late }) => /^block_api\.get_block(?:_header)?$/.test(method) && unwrapped(recorded.result, ours.result, late),
  },
  {
    rule: 'account history',
    what: 'the declared defaults are a normal call, [start−limit, start], −1 is the newest',
    covers: ({ method, ours }) => method.endsWith('.get_account_history') && ours.result !== undefined,
  },
  {
    rule: 'get_signature of an unknown method',
    what: 'null',
    covers: ({ method, name, ours, recorded }) => method === 'jsonrpc.get_signature' && ours.result === null && (recorded.error !== undefined || name.includes(' of debug_node_api.')),
  },
  {
    rule: 'block_api',
    what: 'the bare block or header, or null: what get_signature shows of them',
    covers: ({ name, ours }) => /get_signature of block_api\.get_block(?:_header)?$/.test(name) && sameJson(memberOf(ours.result, 'ret'), null),
  },
  {
    rule: 'Where the interface speaks, it wins',
    what: 'it shows the members of info and about, which the lineage left out of get_signature',
    covers: ({ name, ours }) => /get_signature of alexandria_api\.(?:info|about)$/.test(name) && isObject(ours.result),
  },
  {
    rule: 'Where the interface speaks, it wins',
    what: 'info has average_block_size',
    covers: ({ method, ours, recorded }) => method === 'alexandria_api.info' && hasMembersOf(memberOf(recorded.result, 'info'), memberOf(ours.result, 'info'), 'average_block_size'),
  },
  {
    rule: 'Where the interface speaks, it wins',
    what: 'signature_valid is a boolean: false for what is no signature',
    covers: ({ method, ours, recorded }) => method === 'alexandria_api.verify_signature' && memberOf(ours.result, 'signature_valid') === false && recorded.error !== undefined,
  },
  {
    rule: 'Where it is silent or lists an open item, the reference decides',
    what: 'an unknown document is an error; the lineage read beyond its index',
    covers: ({ name, ours }) => name.startsWith('UB ') && errorIs(ours, -32003, 'unknown_document'),
  },
  {
    rule: '`start` and `order` of list calls',
    what: 'start may be left out where documents are listed, and then is null; count of get_received_documents is 10',
    covers: ({ name, ours }) =>
      /get_signature of \w+\.(?:get_received_documents|list_received_documents|get_app_custom_messages|custom_object_subscription)$/.test(name) &&
      memberOf(memberOf(ours.result, 'args'), 'start') === null,
  },
  {
    rule: 'members',
    what: 'get_received_documents without count is 10',
    covers: ({ name }) => /^alexandria_api\.get_received_documents \((?:bad count=null|missing count)\)$/.test(name),
  },
  {
    rule: 'times on input',
    what: 'with or without Z',
    covers: ({ name, ours }) => name.startsWith("protocol: time '") && name.endsWith("Z'") && ours.result !== undefined,
  },
  {
    rule: 'state seen by reads',
    what: 'head block, without what is pending',
    covers: ({ name, ours, recorded }) => name.endsWith('(pending)') && sameForm(ours.result, recorded.result),
  },
  {
    rule: 'state seen by reads',
    what: 'a read sees the head block whoever writes meanwhile; the lineage gave up after waiting a second for the writer',
    covers: ({ ours, recorded }) => recorded.error?.message === 'Unable to acquire database lock' && ours.result !== undefined,
  },
  {
    rule: 'unknown method',
    what: 'push_transaction shows the text of a refusal, without the C++ expression and the stack',
    covers: ({ method, ours, recorded }) => method === 'chain_api.push_transaction' && refusalIn(recorded, textAfterName(ours)),
  },
  {
    rule: 'subscriptions',
    what: 'both deliver over WebSocket; a plain HTTP request has nobody to be told, and says so',
    covers: ({ method, ours }) => method.endsWith('.custom_object_subscription') && errorIs(ours, -32003, 'no_connection'),
  },
  {
    rule: 'the interface',
    what: 'verify_account_authority is documented as not implemented; the lineage looked at no signer and mostly refused for another reason',
    covers: ({ method, ours }) => method === 'database_api.verify_account_authority' && errorIs(ours, -32003, 'not_implemented'),
  },
  {
    rule: 'recorded chain',
    what: 'the recording goes on from another chain after block 1202, so that its transactions and blocks are strange to ours (README.md)',
    covers: ({ late, ours, method }) =>
      late && (errorIs(ours, -32000, 'unknown_reference_block', 'unlinkable_block', 'transaction_expired') || (/^chain_api\.push_/.test(method) && memberOf(ours.result, 'success') === false)),
  },
];

/** The text of `{success: false, error}`. */
function textAfterName({ result }: Answer): string {
  return String(memberOf(result, 'error') ?? '').replace(/^\d+ \w+: /, '');
}

function refusalIn({ result }: Answer, text: string): boolean {
  return text !== '' && memberOf(result, 'success') === false && String(memberOf(result, 'error')).includes(text);
}

function memberOf(json: Json | undefined, name: string): Json | undefined {
  return isObject(json) ? json[name] : undefined;
}

/** The same members, and one more. */
function hasMembersOf(recorded: Json | undefined, ours: Json | undefined, more: string): boolean {
  if (!isObject(recorded) || !isObject(ours)) return false;
  return sameJson([...Object.keys(recorded), more].toSorted(), Object.keys(ours).toSorted());
}

/** Finds the bare form of `{block}`, `{header}` or `{}`. */
function unwrapped(recorded: Json | undefined, ours: Json | undefined, late: boolean): boolean {
  if (!isObject(recorded)) return false;
  const inner = recorded['block'] ?? recorded['header'] ?? null;
  return sameJson(inner, ours) || (late && (ours === null || sameForm(inner, ours)));
}

/** Assets as texts, whatever form the operation has. */
function withAssetTexts(json: Json): Json {
  if (Array.isArray(json)) return json.map(withAssetTexts);
  if (!isObject(json)) return json;
  const { amount, symbol, precision, nai } = json;
  if (typeof amount === 'string' && typeof symbol === 'string') return `${amount} ${symbol}`;
  if (typeof amount === 'string' && precision === 6 && typeof nai === 'string') return `${amount.padStart(7, '0').replace(/(\d{6})$/, '.$1')} SPHTX`;
  return Object.fromEntries(Object.entries(json).map(([name, member]) => [name, withAssetTexts(member)]));
}

export function isObject(json: Json | undefined): json is { [member: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** The same text, members in the same order. */
export function sameJson(a: Json | undefined, b: Json | undefined): boolean {
  return textOfJson(a) === textOfJson(b);
}

function textOfJson(json: Json | undefined): string {
  return JSON.stringify(json ?? null, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
}

/** Members of the same names in the same order, of the same kinds; elements of lists have one form, of which there may be any number. */
export function sameForm(a: Json | undefined, b: Json | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) return isMixed(a) || isMixed(b) || a.length === 0 || b.length === 0 || sameForm(a[0], b[0]);
  if (isObject(a) && isObject(b)) {
    const [names, others] = [Object.keys(a), Object.keys(b)];
    return names.join() === others.join() && names.every((name) => sameForm(a[name], b[name]));
  }
  return typeof a === typeof b && Array.isArray(a) === Array.isArray(b) && (a === null) === (b === null);
}

/** An operation, or an entry with its number: its second element depends on the first. */
function isMixed(list: readonly Json[]): boolean {
  return new Set(list.map((item) => typeof item)).size > 1;
}
