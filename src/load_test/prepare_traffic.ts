import { Fault } from '../base/fault.ts';
import { member } from '../client/chain_of_node.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { randomBytes } from '../crypto/random.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { BlockReader, type WatchedHead } from './block_reader.ts';
import { fetchFees } from './fees.ts';
import { LoadedNode } from './loaded_node.ts';
import type { Mix } from './mix.ts';
import { formSenders, type LoadAccount, type Reference } from './post_maker.ts';
import { PostSource } from './post_source.ts';
import type { TrafficSettings } from './traffic_settings.ts';

/** The facts of the node for a run, and the posts that are being signed. */
export interface Prepared {
  readonly mix: Mix;
  /** Names of forms that no account can send. */
  readonly leftOut: readonly string[];
  readonly accounts: readonly LoadAccount[];
  readonly head: WatchedHead;
  readonly reader: BlockReader;
  readonly source: PostSource;
}

/** Seconds of an open loop, and calls of a closed one, that are signed before the clock starts. */
const AHEAD_SECONDS = 10;
const AHEAD_CALLS = 20_000;
const LEAST_AHEAD = 400;
const MOST_AHEAD = 200_000;

/** Asks the node, and begins to sign. Throws Fault when it can't be reached or the load is impossible. */
export async function prepareTraffic(settings: TrafficSettings): Promise<Prepared> {
  const { urls, profileName, threads } = settings;
  const client = new LoadedNode(urls[0]);
  const chainId = member(member(await client.call('alexandria_api.about', {}), 'about'), 'chain_id');
  if (typeof chainId !== 'string') throw new Fault('runtime', 'the node does not tell its chain id');
  const profile = profileNamed(profileName);
  const encoding: EncodingOptions = { ...profile, dialect: 'default', operationForm: 'pair' };
  const witnesses = await fetchActiveWitnesses(client);
  const accounts = chooseAccounts(settings, witnesses);
  const { mix, leftOut } = possible(settings.mix, accounts);
  const kinds = mix.forms.flatMap(({ asks }) => ('operation' in asks ? [asks.operation] : []));
  const fees = await fetchFees(client, kinds, encoding);
  const reader = new BlockReader(new URL(urls[0]));
  const head = await reader.head();
  const made = {
    mix,
    profileName,
    chainId,
    accounts,
    fees,
    witness: witnesses[0] ?? '',
    seed: Buffer.from(randomBytes(4)).readUInt32LE(),
  };
  const source = new PostSource(
    { made, threads, ahead: postsAhead(settings), count: settings.count },
    makeReference(head, settings),
  );
  return { mix, leftOut, accounts, head, reader, source };
}

/** Makes the reference of transactions while this is the head. */
export function makeReference({ referenceId, time }: WatchedHead, { lifetimeSeconds }: TrafficSettings): Reference {
  return { blockId: referenceId, headTime: time, expiration: time + lifetimeSeconds };
}

function chooseAccounts(settings: TrafficSettings, activeWitnesses: readonly string[]): LoadAccount[] {
  const accounts = settings.accounts.map((account) => ({
    name: account.name,
    secrets: 'secrets' in account ? account.secrets : [account.secret],
    isWitness: activeWitnesses.includes(account.name),
    isActedFor: 'isActedFor' in account && account.isActedFor,
  }));
  const known = new Set(accounts.map(({ name }) => name));
  const witnesses = settings.witnesses.filter(({ name }) => activeWitnesses.includes(name) && !known.has(name));
  return [...accounts, ...witnesses.map(({ name, secret }) => ({ name, secrets: [secret], isWitness: true }))];
}

async function fetchActiveWitnesses(client: LoadedNode): Promise<readonly string[]> {
  const names = member(await client.call('alexandria_api.get_active_witnesses', {}), 'active_witnesses');
  return Array.isArray(names) ? names.map(String) : [];
}

/** The forms for which there are accounts. */
function possible(
  { name, forms }: Mix,
  accounts: readonly LoadAccount[],
): { readonly mix: Mix; readonly leftOut: readonly string[] } {
  const isPossible = forms.map((form) => formSenders(form, accounts).length > 0);
  const mix = { name, forms: forms.filter((_, index) => isPossible[index]) };
  if (mix.forms.length === 0)
    throw new Fault(
      'configuration',
      `none of the accounts can send what the mix ${name} holds; --prepare makes some that can`,
    );
  return { mix, leftOut: forms.filter((_, index) => isPossible[index] !== true).map((form) => form.name) };
}

function postsAhead({ perSecond, durationMs = Infinity, count = Infinity }: TrafficSettings): number {
  const wanted = perSecond === undefined ? AHEAD_CALLS : perSecond * Math.min(AHEAD_SECONDS, durationMs / 1000);
  return Math.round(Math.min(count, Math.max(LEAST_AHEAD, Math.min(MOST_AHEAD, wanted))));
}
