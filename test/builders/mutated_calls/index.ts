import fc from 'fast-check';
import { Type } from '../../../src/jsonrpc/envelope/typebox.ts';

import { isJsonObject, type Json } from '../../../src/codec/json.ts';
import { readJsonText } from '../../../src/codec/json_reader.ts';
import { defaultDialect } from '../../../src/jsonrpc/envelope/dialect.ts';
import { makeEncoding } from '../../../src/rpc/make_encoding.ts';
import type { Method, Methods } from '../../../src/rpc/method.ts';
import { GROUP_OF_BARE_NAMES } from '../../../src/rpc/methods.ts';
import { isCoded } from '../../../src/jsonrpc/envelope/params.ts';
import { sampleBlock } from '../../../src/rpc/sample_transaction.ts';
import type { Profile } from '../../../src/values/profile.ts';
import { arbitraryParams, SEARCH_TYPES } from '../declared_params.ts';
import type { RandomSource } from '../random_source.ts';
import { collectDonors, isOperation, mutate, type Donors } from './mutations.ts';
import { oddText, oddValue } from './odd_values.ts';
import { copySource, listPlaces, makeSource, sourceText, type Members, type Root, type Source } from './source.ts';

/** A method and its params by name, before they are put into a call. */
export interface MutatedParams {
  readonly method: Method;
  readonly params: Source;
}

/** A body, and what it was made from. */
export interface MutatedCall {
  readonly parts: readonly MutatedParams[];
  readonly source: Source;
  /** The white space between its parts. */
  readonly space: string;
  /** The bytes; sometimes slightly different from the source. */
  readonly body: Buffer;
}

export interface MutatedCallsOptions {
  readonly methods: Methods;
  readonly profile: Profile;
  readonly randomSource: RandomSource;
  /** Operations that may be accepted by the chain that the calls go to. */
  readonly operations: readonly Json[];
  /** Signs what can be signed in params, for the chain that they go to. */
  sign(root: Root): void;
}

/** Random legal params of a method. */
const LEGAL_PARAMS = 12;
/** These methods cost as much as they move; one block or one second tests as much as a thousand. */
const FARTHEST: Readonly<Record<string, bigint>> = { 'debug_api.produce_blocks': 3n, 'debug_api.jump_ahead': 5000n };

/** The starts of lists and searches, in any order. */
const STARTS: Json[] = [
  ...[
    null,
    0,
    3,
    -1,
    '-1',
    'alice',
    'zoe',
    '2026-01-01T00:00:06',
    ['alice', 0],
    ['alice', 1],
    ['alice', 'bob'],
    ['', ''],
  ],
  ...[
    ['2026-01-01T00:00:06', 'alice'],
    ['2026-01-01T00:00:06', 0],
    [1, 'alice'],
    ['alice', '2026-01-01T00:00:06'],
    [0, 0],
  ],
  ...[
    [true, '2026-01-02T00:00:00', 0],
    [false, '2026-01-02T00:00:00', 1],
    [[false, '2026-01-02T00:00:00'], 1],
    ['10.000000 COIN', 0],
  ],
];

/** Makes calls of all methods, from their declarations, with something wrong in most of them. */
export class MutatedCalls {
  readonly #options: MutatedCallsOptions;
  /** A method that is in the list several times is called more often. */
  readonly #methods: readonly Method[];
  readonly #operations: readonly Source[];
  readonly #profile: Profile;
  readonly #randomSource: RandomSource;
  readonly #donors: Donors;
  readonly #legal = new Map<Method, readonly Source[]>();

  constructor(options: MutatedCallsOptions) {
    const { methods, profile, randomSource, operations } = options;
    this.#options = options;
    this.#operations = operations.map(makeSource);
    // Methods that change the state or take operations reach the most code.
    this.#methods = [...methods.values()].flatMap((method) =>
      reachesFar(method) ? Array.from({ length: 4 }, () => method) : [method],
    );
    this.#profile = profile;
    this.#randomSource = randomSource;
    const examples = [...methods.values()].flatMap(({ example: { params, result = null } }) => [params, result]);
    const words: Json = { search_type: [...SEARCH_TYPES], order: this.#orders(), start: STARTS, block: sampleBlock };
    this.#donors = collectDonors([...examples, { op: [...operations] }, words].map(makeSource));
  }

  next(): MutatedCall {
    const randomSource = this.#randomSource;
    const space = randomSource.pick(['', '', '', ' ', '\n\t']);
    if (!randomSource.chance(4)) {
      const { source, ...part } = this.#one(1);
      return { parts: [part], source, space, body: this.#bytes(source, space) };
    }
    const parts = Array.from({ length: 1 + randomSource.roll(5) }, (_, k) => this.#one(k + 1));
    const source: Source = { items: parts.map((part) => part.source) };
    if (randomSource.chance(10)) source.items.push(oddValue(randomSource));
    return { parts, source, space, body: this.#bytes(source, space) };
  }

  #one(id: number): MutatedParams & { readonly source: Source } {
    const randomSource = this.#randomSource;
    const method = randomSource.pick(this.#methods);
    const root = { source: this.#params(method) };
    if (randomSource.chance(50)) this.#replaceOperations(root);
    mutate(root, randomSource, this.#donors, randomSource.pick([0, 1, 1, 1, 2, 2, 3, 5]));
    bound(method, root);
    if (randomSource.chance(50)) this.#options.sign(root);
    const params = root.source;
    const whole = { source: this.#envelope(method, params, id) };
    if (randomSource.chance(3)) {
      mutate(whole, randomSource, this.#donors, 1 + randomSource.roll(2));
      bound(method, whole);
    }
    return { method, params, source: whole.source };
  }

  /** Params by name: the example's, legal ones, those of another method, or something else. */
  #params(method: Method): Source {
    const randomSource = this.#randomSource;
    const chance = randomSource.roll(100);
    if (chance < 55) return copySource(makeSource(method.example.params));
    if (chance < 94) return copySource(randomSource.pick(this.#legalSources(method)));
    return chance < 98
      ? copySource(makeSource(randomSource.pick(this.#methods).example.params))
      : oddValue(randomSource);
  }

  #replaceOperations(root: Root): void {
    for (const { value, put } of listPlaces(root))
      if (isOperation(value)) put(copySource(this.#randomSource.pick(this.#operations)));
  }

  #legalSources(method: Method): readonly Source[] {
    const known = this.#legal.get(method);
    if (known !== undefined) return known;
    const encoding = makeEncoding(this.#profile, method.group, defaultDialect);
    const seed = this.#randomSource.roll(2 ** 31);
    const isNamed = Type.IsObject(method.params) && isJsonObject(method.example.params);
    const made = isNamed
      ? fc.sample(arbitraryParams(method, encoding), { seed, numRuns: LEGAL_PARAMS })
      : [method.example.params];
    const sources = made.map(makeSource);
    this.#legal.set(method, sources);
    return sources;
  }

  /** A call in one of the forms that the server accepts. */
  #envelope(method: Method, params: Source, id: number): Source {
    const randomSource = this.#randomSource;
    const { name, group } = method;
    const isBare = group === '' || (group === GROUP_OF_BARE_NAMES && randomSource.chance(30));
    const idMember: Members['members'][number] = [
      '"id"',
      randomSource.chance(95)
        ? String(id)
        : randomSource.pick([oddText(randomSource), '"1"', 'null', oddValue(randomSource)]),
    ];
    const version: Members['members'][number] = [
      '"jsonrpc"',
      randomSource.chance(99) ? '"2.0"' : oddText(randomSource),
    ];
    if (isBare) {
      const bare = JSON.stringify(name.slice(name.indexOf('.') + 1));
      return { members: [idMember, ['"method"', bare], ['"params"', this.#byPosition(method, params)]] };
    }
    if (randomSource.chance(15)) {
      const parts = [JSON.stringify(group), JSON.stringify(name.slice(group.length + 1)), this.#named(params)];
      return { members: [version, idMember, ['"method"', '"call"'], ['"params"', { items: parts }]] };
    }
    const members: Members['members'] = [
      version,
      ['"method"', JSON.stringify(name)],
      ['"params"', this.#named(params)],
    ];
    if (!randomSource.chance(1)) members.push(idMember);
    return { members: randomSource.chance(80) ? members : randomSource.shuffle(members) };
  }

  /** As an object, or in an array of one. */
  #named(params: Source): Source {
    return this.#randomSource.chance(90) ? params : { items: [params] };
  }

  #byPosition({ paramNames }: Method, params: Source): Source {
    const randomSource = this.#randomSource;
    if (typeof params === 'string' || 'items' in params || randomSource.chance(3)) return params;
    const given = new Map(params.members);
    const last = paramNames.findLastIndex((name) => given.has(JSON.stringify(name)));
    const items = paramNames.slice(0, last + 1).map((name) => given.get(JSON.stringify(name)) ?? 'null');
    if (randomSource.chance(8)) items.push(oddValue(randomSource));
    if (randomSource.chance(8)) items.pop();
    return { items };
  }

  /** Every sort order of any list. */
  #orders(): Json {
    const encoding = makeEncoding(this.#profile, '', defaultDialect);
    const orders = this.#methods.flatMap(({ params }) => (Type.IsObject(params) ? [params.properties['order']] : []));
    const words = orders.find((order) => order !== undefined && isCoded(order));
    return words !== undefined && isCoded(words)
      ? readJsonText(JSON.stringify(words.codec.describe(encoding)['enum']))
      : [];
  }

  /** Its text, sometimes with a few random bytes. */
  #bytes(source: Source, space: string): Buffer {
    const randomSource = this.#randomSource;
    const bytes = Buffer.from(sourceText(source, space));
    if (!randomSource.chance(2) || bytes.length === 0) return bytes;
    const at = randomSource.roll(bytes.length);
    const rubbish = Buffer.from(
      randomSource.pick([
        '',
        '00',
        '22',
        '2c',
        '5c',
        '5d',
        '7d',
        '80',
        'c0af',
        'eda080',
        'efbbbf',
        'f4908080',
        'ff',
        '2f2a',
      ]),
      'hex',
    );
    return Buffer.concat([bytes.subarray(0, at), rubbish, bytes.subarray(at + randomSource.roll(2))]);
  }
}

function reachesFar({ group, refusesForOperations, run }: Method): boolean {
  return group !== 'debug_api' && (run.kind !== 'read' || refusesForOperations);
}

/** Limits calls that cost as much as they move. */
function bound({ name }: Method, root: Root): void {
  const farthest = FARTHEST[name];
  if (farthest === undefined) return;
  for (const { value, put } of listPlaces(root)) {
    if (typeof value === 'string' && /^\d{1,10}$/.test(value)) put(String((BigInt(value) % farthest) + 1n));
    else if (typeof value === 'string' && /^\d.*[eE]/.test(value)) put('1e0');
  }
}
