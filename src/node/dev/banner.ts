import { encodeWif } from '../../crypto/wif.ts';
import { accounts } from '../../state/tables/account.ts';
import { accountAuthorities } from '../../state/tables/account_authority.ts';
import { assetText } from '../../values/asset.ts';
import type { Profile } from '../../values/profile.ts';
import type { RunningNode } from '../start_node.ts';
import { devKeyOf, devPublicKey, devSecret, IMPERSONATOR } from './dev_genesis.ts';

/** What the banner says of a chain. */
export interface BannerChain {
  readonly profile: Profile;
  /** The accounts that its genesis funds. */
  readonly names: readonly string[];
  /** What their keys are made of; undefined where another node makes the chain, which doesn't say. */
  readonly seed: string | undefined;
  /** When blocks are made. */
  readonly mining: string;
}

/** More than a screen of them is looked for in vain. */
const MOST_SHOWN = 50;

/** Everything that a new user needs, on one screen. */
export function banner(node: RunningNode, chain: BannerChain): string {
  const url = `http://127.0.0.1:${node.ports[0]}`;
  const call = `{"jsonrpc":"2.0","id":1,"method":"alexandria_api.get_account","params":{"account_name":"${accountOf(node)}"}}`;
  const metrics = node.metricsPort === undefined ? '' : `\n  metrics    http://127.0.0.1:${node.metricsPort}/metrics`;
  const { fork } = node.services.parameters;
  const origin =
    fork === undefined ? '' : `\n  fork       of chain ${fork.chain_id} behind block ${fork.block_number}, whose witnesses all sign here`;
  const peers = node.network === undefined ? '' : `\n  peers      ${peersLine(node.network)}`;
  return `
Pharos development chain
  JSON-RPC   ${url}  (HTTP and WebSocket, served by ${node.httpServer})
  browser    the same address shows the chain, and /docs behind it the methods and guides
  chain id   ${node.chainId}${origin}
  head       block ${node.headBlockNumber}${metrics}${peers}
  blocks     ${chain.mining}

${accountLines(node, chain)}

Try it:
  curl -s ${url} -d '${call}'

Ctrl-C stops.
`;
}

/** The accounts with what they have now. */
function accountLines(node: RunningNode, { profile, names, seed }: BannerChain): string {
  if (seed === undefined) return 'Accounts and their keys: where the chain is made';
  const all = ['initminer', ...names].filter((name) => isOurs(node, name, seed));
  const shown = all.slice(0, MOST_SHOWN);
  const rows = shown.map(
    (name) =>
      `  ${name.padEnd(10)} ${encodeWif(devSecret(name, seed))}  ${devPublicKey(name, profile, seed)}  ${balanceOf(node, profile, name)}`,
  );
  if (all.length > shown.length) rows.push(`  and ${all.length - shown.length} more, user${shown.length} to ${all.at(-1)}`);
  if (node.services.parameters.impersonator === devKeyOf(IMPERSONATOR, seed))
    rows.push(
      `${IMPERSONATOR}, whose signature is as good as anybody's here (debug_api.send_unsigned sends with it):`,
      `  ${' '.repeat(10)} ${encodeWif(devSecret(IMPERSONATOR, seed))}  ${devPublicKey(IMPERSONATOR, profile, seed)}`,
    );
  const made = seed === '' ? 'its name' : 'the seed, a blank and its name';
  const heading =
    node.services.parameters.fork === undefined
      ? 'Accounts with their keys and what they have (initminer is the witness)'
      : 'Accounts are those of the snapshot; their keys, as far as they are made of their names:';
  return `${heading}
FOR DEVELOPMENT ONLY: the secret of each is the sha256 of ${made}, which everybody can compute
${rows.join('\n')}`;
}

/** Of a fork, not all keys are known. */
function isOurs({ services: { rows, parameters } }: RunningNode, name: string, seed: string): boolean {
  if (parameters.fork === undefined) return true;
  const keys = rows.get(accountAuthorities, name)?.active.key_auths ?? [];
  return keys.some(([key]) => key === devKeyOf(name, seed));
}

/** One to look at. */
function accountOf({ services: { rows } }: RunningNode): string {
  return rows.get(accounts, 'alice') === undefined ? 'initminer' : 'alice';
}

function balanceOf({ services: { rows } }: RunningNode, profile: Profile, name: string): string {
  const account = rows.get(accounts, name);
  return account === undefined ? 'deleted' : assetText({ amount: account.balance, symbol: profile.coinSymbol });
}

function peersLine({ id, listensOn }: NonNullable<RunningNode['network']>): string {
  return listensOn === undefined
    ? `node ${id}, follows another one`
    : `node ${id}, peers on ${listensOn}: pharos dev --join HOST:${listensOn}`;
}
