import type { DeclaredMetric } from '../../base/metrics.ts';
import { isJsonObject, type Json, type JsonObject } from '../../codec/json.ts';
import { writeJson } from '../../codec/json_writer.ts';
import { usage } from '../../rpc/legacy/index.ts';
import type { Method, Methods } from '../../rpc/method.ts';
import { GROUP_OF_BARE_NAMES } from '../../rpc/methods.ts';
import type { Site } from './layout.ts';

/** A JSON Schema, as the document of the methods has it. */
export type Schema = Json;

/** A param of a method. */
export interface Param {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Schema;
}

/** A refusal: what programs go by, and the text for people. */
export interface KnownError {
  readonly code: string;
  readonly name: string;
  readonly text: string;
}

/**
 * The effect of a call besides its answer: none, it sends something to the chain, moves a development chain, or acts on
 * the node itself.
 */
export type Effect = 'reads' | 'sends' | 'moves' | 'administers';

/** A method, as its page shows it. */
export interface MethodEntry {
  readonly name: string;
  readonly group: string;
  readonly description: string;
  readonly params: readonly Param[];
  readonly result: Schema;
  readonly errors: readonly KnownError[];
  readonly stability: string;
  readonly effect: Effect;
  readonly needsPrivateKey: boolean;
  /** Its params may be as long as a body: it takes a block or a transaction, or is made for long texts. */
  readonly takesLongParams: boolean;
  /** Refuses what the operations that it is given refuse, too. */
  readonly refusesForOperations: boolean;
  /** The form of old clients, if there is one: the bare name, with params by position. */
  readonly usage: string | undefined;
  /** Has no group: params go by position. */
  readonly isBare: boolean;
}

/** A kind of operation, as its page shows it. */
export interface OperationEntry {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly errors: readonly KnownError[];
  /** Only the chain itself makes it. */
  readonly isVirtual: boolean;
  /** The hardfork from which on blocks may have it; undefined for those that they may have from the beginning. */
  readonly since: { readonly hardfork: string; readonly version: string } | undefined;
}

/** A param of a command. */
export interface CommandParam extends Param {
  /** A password or private key. */
  readonly isSecret: boolean;
}

/** A command of the wallet, as its page shows it. */
export interface CommandEntry {
  readonly name: string;
  readonly topic: string;
  readonly description: string;
  /** The name with its params, as `help` prints it. */
  readonly line: string;
  readonly params: readonly CommandParam[];
  readonly example: string;
  readonly errors: readonly KnownError[];
  /** The kind of operation that it makes; undefined where it makes none of a fixed kind. */
  readonly operation: string | undefined;
  readonly needsKeys: boolean;
  readonly gainsByKeys: boolean;
  readonly overRpc: 'always' | 'without a file name' | 'never';
}

/** A setting of a node. */
export interface Setting {
  readonly doc: string;
  /** Undefined where it has no default. */
  readonly initial?: string;
  /** The words that it takes, where it takes no others. */
  readonly words?: readonly string[];
  /** The reason why it does nothing, where it does nothing. */
  readonly withoutEffect?: string;
  /** The limit that it sets, where it sets one. */
  readonly limit?: string;
}

/** The sources of the pages besides the document of the methods. */
export interface Declared {
  readonly methods: Methods;
  readonly commands: readonly CommandEntry[];
  readonly settings: Readonly<Record<string, Setting>>;
  readonly metrics: readonly DeclaredMetric[];
}

/** Everything that has a page because it is declared. */
export interface Catalogue {
  readonly commands: readonly CommandEntry[];
  readonly settings: Readonly<Record<string, Setting>>;
  readonly metrics: readonly DeclaredMetric[];
  readonly site: Site;
  readonly methods: readonly MethodEntry[];
  readonly operations: readonly OperationEntry[];
  /** Shapes that many methods share, by name. */
  readonly shapes: Readonly<Record<string, Schema>>;
  readonly commonErrors: readonly KnownError[];
}

/** The same document that programs get as openrpc.json, and what it was made from. */
export function makeCatalogue(
  document: Json,
  { methods, commands, settings, metrics }: Declared,
  assets: Omit<Site, 'version' | 'tree'>,
): Catalogue {
  const components = jsonMember(document, 'components');
  const shapes = jsonObject(jsonMember(components, 'schemas'));
  return {
    commands,
    settings,
    metrics,
    site: { ...assets, version: jsonText(jsonMember(jsonMember(document, 'info'), 'version')), tree: [] },
    methods: objectList(document, 'methods').flatMap((each) => {
      const method = methods.get(jsonText(each['name']));
      return method === undefined ? [] : [methodEntry(each, method)];
    }),
    operations: objectList(document, 'x-operations').map((each) => operationEntry(each, shapes)),
    shapes,
    commonErrors: Object.entries(jsonObject(jsonMember(components, 'errors'))).map(([name, error]) => ({
      code: jsonText(jsonMember(error, 'code')),
      name,
      text: jsonText(jsonMember(error, 'message')),
    })),
  };
}

function methodEntry(described: JsonObject, method: Method): MethodEntry {
  return {
    name: method.name,
    group: method.group,
    description: method.doc,
    params: objectList(described, 'params').map((param) => ({
      name: jsonText(param['name']),
      isRequired: param['required'] === true && jsonMember(param['schema'], 'default') === undefined,
      schema: param['schema'] ?? {},
    })),
    result: jsonMember(described['result'], 'schema') ?? {},
    errors: knownErrors(described, method),
    stability: method.stability,
    effect: methodEffect(method),
    needsPrivateKey: method.needsPrivateKey,
    takesLongParams: method.paramsBytes === Infinity || method.run.kind === 'hand_on',
    refusesForOperations: described['x-refuses-for-operations'] === true,
    usage: method.group === GROUP_OF_BARE_NAMES ? usage(method) : undefined,
    isBare: method.group === '',
  };
}

/** The errors of a method in the dialect that its clients speak. */
function knownErrors(described: JsonObject, { group }: Method): KnownError[] {
  const known = objectList(described, 'errors').map(knownError);
  return group === '' ? known.map((error) => ({ ...error, code: CODE_OF_BARE_NAMES })) : known;
}

/** Every error of a method without a group has this code. */
const CODE_OF_BARE_NAMES = '1';

/** Groups whose methods hand blocks and transactions on. */
const sendingGroups: ReadonlySet<string> = new Set(['chain_api', 'network_broadcast_api']);

function methodEffect({ group, run, forOperator, refuses }: Method): Effect {
  if (forOperator === true) return 'administers';
  if (group === 'debug_api') return 'moves';
  return run.kind === 'hand_on' || sendingGroups.has(group) || 'too_many_broadcasts' in refuses ? 'sends' : 'reads';
}

/** The members stand on the operation's own page, where its form needs them: a shared shape is looked up. */
function operationEntry(described: JsonObject, shapes: Catalogue['shapes']): OperationEntry {
  const { schema = {} } = described;
  const shape = jsonText(jsonMember(schema, '$ref')).split('/').at(-1) ?? '';
  return {
    name: jsonText(described['name']),
    description: jsonText(described['description']),
    schema: shapes[shape] ?? schema,
    errors: objectList(described, 'errors').map(knownError),
    isVirtual: described['x-virtual'] === true,
    since: firstHardfork(described['x-since']),
  };
}

function firstHardfork(described: Json | undefined): OperationEntry['since'] {
  if (described === undefined) return undefined;
  return { hardfork: jsonText(jsonMember(described, 'hardfork')), version: jsonText(jsonMember(described, 'version')) };
}

function knownError(error: JsonObject): KnownError {
  return {
    code: jsonText(error['code']),
    name: jsonText(jsonMember(error['data'], 'name')),
    text: jsonText(error['message']),
  };
}

/** A text unchanged, anything else as JSON. */
export function jsonText(json: Json | undefined): string {
  return typeof json === 'string' ? json : writeJson(json ?? '');
}

/** A member of an object; undefined of anything else. */
export function jsonMember(json: Json | undefined, name: string): Json | undefined {
  return isJsonObject(json) ? json[name] : undefined;
}

/** The same object; without members where it is none. */
function jsonObject(json: Json | undefined): JsonObject {
  return isJsonObject(json) ? json : {};
}

function objectList(json: Json | undefined, name: string): readonly JsonObject[] {
  const list = jsonMember(json, name);
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}
