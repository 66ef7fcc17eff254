import { defaultLimits, type Limits } from '../../jsonrpc/limits/limits.ts';
import { LARGEST_HISTORY_PAGE, LARGEST_PAGE } from '../../queries/paging.ts';
import { fixedLimits, JSON_BYTES_OF_ONE } from '../../rpc/fixed_limits.ts';
import { consequenceLimits } from '../../state/consequences.ts';
import { MAX_PROXY_RECURSION_DEPTH, type ChainParameters } from '../../state/parameters.ts';
import { KEPT_CHARACTERS } from '../../values/application_name.ts';
import {
  INT64_MAX,
  MAX_MEMO_BYTES,
  MAX_NAME_SEED_BYTES,
  MAX_SECONDS_UNTIL_EXPIRATION,
  MAX_SIGNATURE_CHECK_DEPTH,
  MAX_URL_BYTES,
} from '../../values/limits.ts';
import { jsonMember, type Catalogue, type MethodEntry } from './catalogue.ts';
import { html, type Content, type Html } from './html.ts';
import { table } from './layout.ts';
import { grouped } from './tables.ts';

/** Limits: of requests by setting, of pages by method, of the chain by its genesis. */
export function limitsPart(catalogue: Catalogue, parameters: ChainParameters): Content {
  return [
    html`<h3 id="request-limits">Requests and connections</h3>
      <p>These are the defaults. An operator sets each one.</p>`,
    table('Limits of requests', ['setting', 'default', 'limit of'], requestRows(catalogue)),
    html`<p>
      An id of a request has at most ${defaultLimits.idBytes} bytes. No setting changes this, nor the following.
    </p>`,
    table('Limits without a setting', ['refused as', 'at most', 'limit of'], fixedRows()),
    html`<p>
        Where the largest transaction of a chain has more than
        ${grouped(fixedLimits.params_too_long.most / JSON_BYTES_OF_ONE)} bytes, params have ${JSON_BYTES_OF_ONE} bytes
        for each of its bytes. The params of these methods may be as long as a body:
        ${methodLinks(catalogue.methods.filter(({ takesLongParams }) => takesLongParams))}.
      </p>
      <h3 id="page-limits">Pages and lists</h3>
      <p>A method refuses more than this, and names the limit. Ask for the rest in further calls.</p>`,
    table('Limits of pages', ['method', 'param', 'at most'], pageRows(catalogue.methods)),
    html`<h3 id="chain-limits">The chain</h3>
      <p>
        What a chain sets in its genesis has the default here;
        <a href="methods/database_api.get_config.html">get_config</a> says what a chain has. A JSON text, a document and
        metadata have no limit of their own: their transaction has.
      </p>`,
    table('Limits of the chain', ['limit of', 'at most', 'set by'], chainRows(parameters)),
  ];
}

function methodLinks(methods: readonly MethodEntry[]): Html[] {
  return methods.map(
    ({ name }, k) => html`${k === 0 ? '' : ', '}<a href="methods/${name}.html"><code>${name}</code></a>`,
  );
}

type Cells = readonly [first: Content, second: Content, third: Content];

function requestRows({ settings }: Catalogue): Cells[] {
  return Object.entries(settings).flatMap(([name, { limit, doc }]) =>
    isLimit(limit) ? [[html`<code>${name}</code>`, grouped(Number(defaultLimits[limit])), doc]] : [],
  );
}

function fixedRows(): Cells[] {
  return Object.entries(fixedLimits).map(([name, { most, of }]) => [html`<code>${name}</code>`, grouped(most), of]);
}

function isLimit(name: string | undefined): name is keyof Limits {
  return name !== undefined && Object.hasOwn(defaultLimits, name);
}

/** The refusals of pages that are too large, with the limit of each. */
const refusedPages: Readonly<Record<string, number>> = {
  page_too_large: LARGEST_PAGE,
  history_page_too_large: LARGEST_HISTORY_PAGE,
};

function pageRows(methods: readonly MethodEntry[]): Cells[] {
  // Development chains count other things.
  const served = methods.filter(({ group }) => group !== 'debug_api');
  return served.flatMap((method) =>
    method.params.flatMap((param): Cells[] => {
      const most = limitText(method, param);
      const link = html`<a href="methods/${method.name}.html">${method.name}</a>`;
      return most === undefined ? [] : [[link, html`<code>${param.name}</code>`, `${grouped(most.count)} ${most.of}`]];
    }),
  );
}

const countParams: ReadonlySet<string> = new Set(['limit', 'count']);

/** Returns the limit of a param in words; undefined when it has none. */
function limitText(
  { errors }: MethodEntry,
  { name, schema }: MethodEntry['params'][number],
): { readonly count: number; readonly of: string } | undefined {
  const items = jsonMember(schema, 'maxItems');
  // A place in an order is a tuple and no list.
  if (typeof items === 'number' && jsonMember(schema, 'prefixItems') === undefined)
    return { count: items, of: 'items' };
  if (!countParams.has(name)) return undefined;
  const declared = jsonMember(schema, 'maximum');
  const refused = errors.flatMap((error) => refusedPages[error.name] ?? []);
  const known = typeof declared === 'number' ? [declared, ...refused] : refused;
  return known.length === 0 ? undefined : { count: Math.min(...known), of: 'entries' };
}

function chainRows(parameters: ChainParameters): Cells[] {
  const { genesis, rules, maxTransactionBytes, maxBlockBytes } = parameters;
  const member = (name: string): Html => html`genesis: <code>${name}</code>`;
  const blockMembers = html`genesis: <code>max_transaction_size</code> × <code>block_interval</code> ×
    <code>max_block_size</code>`;
  const rule = 'the rules';
  const consequences = consequenceLimits(parameters);
  return [
    ['bytes of a memo', grouped(MAX_MEMO_BYTES - 1), rule],
    ['bytes of a URL', grouped(MAX_URL_BYTES), rule],
    ['bytes of a name seed', grouped(MAX_NAME_SEED_BYTES), rule],
    ['characters of the name of an account or an application', grouped(KEPT_CHARACTERS), rule],
    ['bytes of a transaction', grouped(maxTransactionBytes), member('max_transaction_size')],
    ['bytes of a block', grouped(maxBlockBytes), blockMembers],
    ['seconds from the head block to the expiration', grouped(MAX_SECONDS_UNTIL_EXPIRATION), rule],
    ['levels of accounts in an authority', grouped(MAX_SIGNATURE_CHECK_DEPTH), rule],
    ['accounts that one check of signatures visits', grouped(rules.authority_visits), rule],
    ['accounts in a row of voting proxies, the first one included', grouped(MAX_PROXY_RECURSION_DEPTH), rule],
    ['witnesses whose votes a transaction moves', grouped(consequences.witnesses), rule],
    ['votes that a transaction looks at', grouped(consequences.votes), rule],
    ['members in the authorities of the accounts that a transaction updates', grouped(consequences.members), rule],
    [
      'bytes of operations without a fee, of an account',
      grouped(genesis.max_allowed_bandwidth),
      member('max_allowed_bandwidth'),
    ],
    ['operations without a fee, of an account', grouped(genesis.max_allowed_ops), member('max_allowed_ops')],
    ['units of an amount', grouped(INT64_MAX), rule],
    [
      'witnesses that an account votes for',
      grouped(genesis.max_account_witness_votes),
      member('max_account_witness_votes'),
    ],
  ];
}
