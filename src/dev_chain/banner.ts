import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { encodeWif } from '../crypto/wif.ts';
import { accounts } from '../state/tables/account.ts';
import { accountAuthorities } from '../state/tables/account_authority.ts';
import { assetText } from '../values/asset.ts';
import type { Profile } from '../values/profile.ts';
import type { RunningNode } from '../node/start_node.ts';
import { DEFAULT_PORT } from './dev_settings.ts';
import { deriveDevKey, devPublicKey, devSecret, IMPERSONATOR } from './dev_genesis.ts';

/** The banner's facts of a chain. */
export interface BannerChain {
  readonly profile: Profile;
  /** The accounts that its genesis funds. */
  readonly names: readonly string[];
  /** The seed of the keys; undefined when another node makes the chain and doesn't tell. */
  readonly seed: string | undefined;
  /** When blocks are made. */
  readonly mining: string;
  /** True when blocks come without an order. */
  readonly isMining: boolean;
  /** True to list each account, false for the first few. */
  readonly listsAll: boolean;
}

/** Accounts in the short list: the witness, and the two of the lines to try. */
const FEW = 3;

/** Everything that a new user needs, on one screen, with the next steps at its end. */
export function banner(node: RunningNode, chain: BannerChain): string {
  const url = `http://127.0.0.1:${node.ports[0]}`;
  const metrics = node.metricsPort === undefined ? '' : `\n  metrics    http://127.0.0.1:${node.metricsPort}/metrics`;
  const socket =
    node.unixEndpoint === undefined
      ? ''
      : `\n  socket     ${node.unixEndpoint}  (the same for programs of this machine: --url unix:${node.unixEndpoint})`;
  const { fork } = node.services.parameters;
  const origin =
    fork === undefined
      ? ''
      : `\n  fork       of chain ${fork.chain_id} behind block ${fork.block_number}, whose witnesses all sign here`;
  const peers = node.network === undefined ? '' : `\n  peers      ${peersLine(node.network)}`;
  return `
Pharos development chain
  JSON-RPC   ${url}  (HTTP and WebSocket, served by ${node.httpServer})${socket}
  chain id   ${node.chainId}${origin}
  head       block ${node.headBlockNumber}${metrics}${peers}
  blocks     ${chain.mining}

${accountLines(node, chain)}

Ctrl-C stops.

Open in a browser:
  ${url}/       the chain
  ${url}/docs/  methods, operations and guides

Try in another terminal, one after the other:
${linesToTry(node, chain)
  .map((line) => `  ${line}`)
  .join('\n')}
${chain.isMining ? '' : `Who sends waits for a block. Order one: ${programCommand()} call debug_api.produce_blocks${urlFlag(node)}\n`}
`;
}

/**
 * An account, a transfer with its key, and the block that has the transfer; fewer where the chain or its keys are
 * another node's.
 */
function linesToTry(node: RunningNode, { profile, names, seed }: BannerChain): readonly string[] {
  const call = (method: string, params: string): string =>
    `${programCommand()} call ${method} ${params}${urlFlag(node)}`;
  const ours =
    seed === undefined ? [] : [...names, 'initminer'].filter((name) => isOurs(node, name, seed) && isThere(node, name));
  const [from = 'initminer', to] = ours;
  const account = call('alexandria_api.get_account', `'{"account_name":"${from}"}'`);
  if (seed === undefined || to === undefined) return [account];
  const amount = assetText({ amount: 1_000_000n, symbol: profile.coinSymbol });
  const operation = `["transfer",{"from":"${from}","to":"${to}","amount":"${amount}","memo":"hello"}]`;
  const newest = call('alexandria_api.get_account_history', `'{"account":"${from}","start":-1,"limit":0}'`);
  return [
    account,
    call('alexandria_api.send_and_sign_operation', `'{"op":${operation},"pk":"${encodeWif(devSecret(from, seed))}"}'`),
    call('alexandria_api.get_block', `"{\\"num\\":$(${newest} --member account_history.0.1.block)}"`),
  ];
}

function isThere({ services: { rows } }: RunningNode, name: string): boolean {
  return rows.get(accounts, name) !== undefined;
}

/** Nothing on the port on which `pharos call` looks for a node. */
function urlFlag({ ports }: RunningNode): string {
  return ports[0] === DEFAULT_PORT ? '' : ` --url http://127.0.0.1:${ports[0]}`;
}

/** Returns the command that starts this program from the current folder: a package's command, or one of a clone. */
function programCommand(): string {
  const [, script = ''] = process.argv;
  if (/[\\/]node_modules[\\/]/.test(script)) return 'npx pharos';
  if (/[\\/]pharos$/.test(script)) return 'pharos';
  const inClone = join(dirname(script), '../../scripts/pharos.js');
  const file = existsSync(inClone) ? inClone : script;
  const near = relative(process.cwd(), file);
  return `node ${near.startsWith('..') ? file : near}`;
}

/** The accounts with what they have now. */
function accountLines(node: RunningNode, { profile, names, seed, listsAll }: BannerChain): string {
  if (seed === undefined) return 'Accounts and their keys: where the chain is made';
  const all = ['initminer', ...names].filter((name) => isOurs(node, name, seed));
  const shown = listsAll ? all : all.slice(0, FEW);
  const rows = shown.map(
    (name) =>
      `  ${name.padEnd(10)} ${encodeWif(devSecret(name, seed))}  ${devPublicKey(name, profile, seed)}  ${balanceText(node, profile, name)}`,
  );
  if (all.length > shown.length) rows.push(`  and ${all.length - shown.length} more: --list-accounts shows all`);
  if (node.services.parameters.impersonator === deriveDevKey(IMPERSONATOR, seed))
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
  return keys.some(([key]) => key === deriveDevKey(name, seed));
}

function balanceText({ services: { rows } }: RunningNode, profile: Profile, name: string): string {
  const account = rows.get(accounts, name);
  return account === undefined ? 'deleted' : assetText({ amount: account.balance, symbol: profile.coinSymbol });
}

function peersLine({ id, listensOn }: NonNullable<RunningNode['network']>): string {
  return listensOn === undefined
    ? `node ${id}, follows another one`
    : `node ${id}, peers on ${listensOn}: pharos dev --join HOST:${listensOn}`;
}
