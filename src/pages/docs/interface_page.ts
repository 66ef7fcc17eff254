import { knownHardforks } from '../../state/hardforks.ts';
import { chainParameters, type ChainParameters } from '../../state/parameters.ts';
import { readGenesis } from '../../state/read_genesis.ts';
import { profiles, type Profile } from '../../values/profile.ts';
import { timeText } from '../../values/time.ts';
import { versionText } from '../../values/version.ts';
import { present } from '../../base/assert.ts';
import type { Catalogue, MethodEntry } from './catalogue.ts';
import { html, type Content, type Html } from './html.ts';
import { page, section, type DocsFile, type Section } from './layout.ts';
import { limitsPart } from './limits_part.ts';
import { canonicalPart, signingPart } from './signing_part.ts';

export const INTERFACE_PATH = 'interface.html';
export const INTERFACE_TITLE = 'What the interface leaves open, and how this node decides';

/** None of the figures depends on the id of a chain. */
const NO_CHAIN = '0'.repeat(64);

/** Words that lead to the page by the search. */
export const interfaceWords: readonly string[] = [
  ...[
    'digest',
    'signature',
    'canonical',
    'limits',
    'batch',
    'memo',
    'stable',
    'experimental',
    'HF11',
    'HF14',
    'deprecated',
  ],
  ...[
    'not_implemented',
    'plugin',
    'webserver-ws-endpoint',
    'expired',
    'broadcast',
    'withdrawal',
    'witnesses',
    'chain_id',
  ],
];

/** The answers to what the interface doesn't say. Figures come from the code and the declarations. */
export function interfacePage(catalogue: Catalogue): DocsFile {
  const profile = present(profiles['default'], 'the default profile');
  const parameters = chainParameters(profile, readGenesis({}, profile), NO_CHAIN);
  const parts: [Section, ...Content[]][] = [
    [{ id: 'signing', title: 'Digest and signature' }, signingPart(profile)],
    [{ id: 'canonical', title: 'Canonical form' }, canonicalPart()],
    [{ id: 'limits', title: 'Limits' }, limitsPart(catalogue, parameters)],
    [{ id: 'groups', title: 'Groups that are ready for use' }, groupsPart(catalogue)],
    [{ id: 'deprecated', title: 'Deprecated and not implemented methods' }, deprecatedPart(catalogue)],
    [{ id: 'markers', title: 'Hardforks, and the markers HF11 and HF14' }, markersPart()],
    [{ id: 'wallet-node', title: 'The node behind a wallet' }, walletNodePart(catalogue)],
    [{ id: 'expired', title: 'expired' }, expiredPart()],
    [{ id: 'trailing-booleans', title: 'Trailing booleans of the wallet' }, booleansPart(catalogue)],
    [{ id: 'withdrawals', title: '104 weeks or 27 days' }, withdrawalsPart(parameters)],
    [{ id: 'schedule', title: '83, 80 and 72, or 47, 4 and 31' }, schedulePart(parameters)],
  ];
  return page({
    path: INTERFACE_PATH,
    title: INTERFACE_TITLE,
    description:
      'Digest and signature in bytes, canonical form, limits, markers, and other items that the interface leaves open.',
    site: catalogue.site,
    sections: parts.map(([each]) => each),
    content: [
      html`<h1>${INTERFACE_TITLE}</h1>
        <p class="lead">
          The answers are those of the default dialect, on a chain of rule set <code>interface</code>.
        </p>`,
      parts.map(([each, ...content]) => section(each, ...content)),
    ],
  });
}

function groupsPart({ methods }: Catalogue): Content {
  const groups = [...new Set(methods.map(({ group }) => group))].filter((group) => group !== '').toSorted();
  const namesOfStability = (stability: string): string[] =>
    groups.filter((group) => methods.some((method) => method.group === group && method.stability === stability));
  const ready = namesOfStability('stable');
  const others = groups.filter((group) => !ready.includes(group));
  return [
    html`<p>Ready for use: ${links(ready)}. Its methods keep their names, params and results.</p>
      <p>Work in progress, which may change: ${links(others)}.</p>
      <p>
        Each method’s page says whether it is stable. Build operations and sign them with a client, not by methods of a
        node.
      </p>`,
  ];
}

function links(groups: readonly string[]): Html[] {
  return groups.map(
    (group, k) => html`${k === 0 ? '' : ', '}<a href="index.html#group-${group}"><code>${group}</code></a>`,
  );
}

function deprecatedPart({ methods }: Catalogue): Content {
  const isRefused = ({ errors }: MethodEntry): boolean => errors.some(({ name }) => name === 'not_implemented');
  const deprecated = methods.filter(({ stability }) => stability === 'deprecated');
  return html`<dl class="entries">
    ${deprecated.map(
      (method) =>
        html`<div>
          <dt><a href="methods/${method.name}.html">${method.name}</a></dt>
          <dd>
            ${isRefused(method) ? 'Not implemented: always refused, by the name not_implemented.' : 'Deprecated: it works.'}
            ${method.description}
          </dd>
        </div>`,
    )}
  </dl>`;
}

/** The register of hardforks, as a list. */
function hardforkList(): Content {
  return html`<p>The hardforks that this software supports:</p>
    <dl class="entries">
      ${knownHardforks.map(
        ({ id, version, time, doc }) =>
          html`<div>
            <dt>Hardfork ${id}, version ${versionText(version)}, not before ${timeText(time)}</dt>
            <dd>${doc}</dd>
          </div>`,
      )}
    </dl>`;
}

function markersPart(): Content {
  const known = knownHardforks.map(({ id }) => id);
  return html`${hardforkList()}
    <p>
      The interface has the markers <code>Since: HF11</code> and <code>Since: HF14</code> behind
      <a href="methods/database_api.find_accounts.html">find_accounts</a> and
      <a href="methods/database_api.find_change_recovery_account_requests.html">find_change_recovery_account_requests</a
      >.
    </p>
    <p>
      They attach to nothing here. They count hardforks of an older chain. This chain’s hardforks have the numbers
      ${known.join(' and ')}, and no method depends on one: both methods answer from the first block on.
    </p>`;
}

function walletNodePart({ settings }: Catalogue): Content {
  const http = 'webserver-http-endpoint';
  return html`<p>
      A wallet needs the plugins <code>account_by_key</code> and <code>alexandria_api</code>. A node keeps the index of
      keys always. It serves every group unless <code>plugin</code> lines name some; then one line must be
      <code>alexandria_api</code>. A line <code>account_by_key</code> is taken, and serves no further group.
    </p>
    <p>
      Every address of a node answers HTTP and WebSocket: <code>${http}</code> (${settings[http]?.initial}) does.
      <code>webserver-ws-endpoint</code> adds a second address, and you can leave it out.
    </p>
    <p>So every node with the default settings serves a wallet.</p>`;
}

function expiredPart(): Content {
  return html`<p>
      <a href="methods/network_broadcast_api.broadcast_transaction_synchronous.html"
        >broadcast_transaction_synchronous</a
      >
      answers <code>expired: true</code> with <code>block_num</code> and <code>trx_num</code> −1 when no block can take
      the transaction any more: on arrival, or while the call waits. Otherwise <code>expired</code> is false, and the
      other two say where the transaction is.
    </p>
    <p>
      <a href="methods/alexandria_api.broadcast_transaction.html">alexandria_api.broadcast_transaction</a> and
      <a href="methods/network_broadcast_api.broadcast_transaction.html">network_broadcast_api.broadcast_transaction</a>
      have no such member. They refuse the transaction by the name <code>transaction_expired</code>, or
      <code>expires_too_soon</code> where the next block would be too late.
    </p>
    <p>
      A node whose newest block is old can't tell: a block that it lacks may have the transaction. All three methods
      refuse it by the name <code>head_stands</code> then; ask another node.
    </p>`;
}

function booleansPart({ commands }: Catalogue): Content {
  const flagged = commands.filter(({ params }) => params.at(-1)?.name === 'broadcast');
  return html`<p>
      The boolean at the end of a command is <code>broadcast</code>. With true the wallet signs the transaction, sends
      it and waits for its block. With false, or without it, the wallet signs the transaction and answers it; nothing is
      sent.
    </p>
    <p>
      These commands have it:
      ${flagged.map(({ name }, k) => html`${k === 0 ? '' : ', '}<a href="wallet/${name}.html">${name}</a>`)}.
    </p>`;
}

const SECONDS_PER_DAY = 86_400;

function withdrawalsPart({ withdrawIntervals, withdrawIntervalSeconds }: ChainParameters): Content {
  return html`<p>
      The interface says a week and 104 instalments in one place, and a day and 27 in another. A chain pays
      ${withdrawIntervals} instalments, ${withdrawIntervalSeconds / SECONDS_PER_DAY} day apart, unless its genesis says
      otherwise. The 104 weeks hold nowhere.
    </p>
    <p>
      Genesis sets <code>vesting_withdraw_intervals</code> and <code>vesting_withdraw_interval_seconds</code>. For what
      a chain has, call <a href="methods/database_api.get_config.html">get_config</a>:
      <code>COIN_VESTING_WITHDRAW_INTERVALS</code> and <code>COIN_VESTING_WITHDRAW_INTERVAL_SECONDS</code>.
    </p>`;
}

function schedulePart({ genesis }: ChainParameters): Content {
  const prefix = present<Profile>(profiles['lineage'], 'the profile of the lineage').keyPrefix;
  const codes = Array.from(prefix, (letter) => letter.charCodeAt(0));
  const {
    max_witnesses: round,
    max_voted_witnesses: voted,
    max_runner_witnesses: runners,
    hardfork_req_witnesses: required,
  } = genesis;
  return html`<p>
      The interface prints <code>max_voted_witnesses</code> ${codes[0]}, <code>max_runner_witnesses</code> ${codes[1]}
      and <code>hardfork_required_witnesses</code> ${codes[2]}. These are the character codes of a key prefix,
      ${prefix}, that got into a sample. A round of ${round} slots can’t hold them.
    </p>
    <p>
      A chain has ${voted}, ${runners} and ${required} unless its genesis says otherwise: ${voted} witnesses by votes
      and ${runners} in turn make the ${round} slots of a round, and ${required} witnesses agree on a hardfork.
    </p>`;
}
