import { at, listMember, numberMember, type Json } from '../outside/json.ts';
import { authorityMembers, type Account, type Chain, type Members, type Sent } from './chain.ts';
import { publicKey } from './keys.ts';
import { expect } from './lines.ts';
import { coin, has, type Shape } from './shapes.ts';

// Several tables share these changes of a chain and these questions.

/** The operation that a helper of alexandria_api makes. */
export async function helper(chain: Chain, method: string, params: Members): Promise<Json> {
  return at(await chain.ask(`alexandria_api.${method}`, params), 'op');
}

/** Sends an operation, and looks whether it stands in the chain with the members that it was sent with. */
export async function stands(chain: Chain, operation: Json, labels: readonly string[]): Promise<Sent> {
  const sent = await chain.sent([operation], ...labels);
  const [kind, body] = listMember({ operation }, 'operation');
  expect([kind ?? null, has(memberShapes(body ?? null))], await fetchOperation(chain, sent.id));
  return sent;
}

/** The fee was set when the transaction was made. */
function memberShapes(body: Json): { readonly [member: string]: Shape } {
  return { ...Object.fromEntries(Object.entries(body ?? {})), fee: coin };
}

/** The first operation of a transaction, as alexandria_api shows it. */
export async function fetchOperation(chain: Chain, id: string): Promise<Json> {
  return at(await chain.ask('alexandria_api.get_transaction', { tx_id: id }), 'tx.operations.0');
}

/** Somebody with a key of the account has changed its owner; what it was is known by the account's own label. */
export async function robbed(chain: Chain, label: string): Promise<Account> {
  const account = await chain.account(label);
  const owner = authorityMembers('thief');
  await chain.send(
    [['account_update', { account: account.name, owner, memo_key: publicKey('thief'), json_metadata: '' }]],
    label,
  );
  return account;
}

/** The request to give an account a new owner. */
export function recoveryRequest(account: string, new_owner_authority: Json, recovery_account = 'alice'): Json {
  return [
    'request_account_recovery',
    { recovery_account, account_to_recover: account, new_owner_authority, extensions: [] },
  ];
}

/** The recovery of an account from what was its owner. */
export function recovery(account: string, new_owner_authority: Json, recent_owner_authority: Json): Json {
  return [
    'recover_account',
    { account_to_recover: account, new_owner_authority, recent_owner_authority, extensions: [] },
  ];
}

/** Sets the account that may reset another one, and names the former one. */
export function setReset(account: string, current_reset_account: string, reset_account: string): Json {
  return ['set_reset_account', { account, current_reset_account, reset_account }];
}

/** The recovery requests of an account. */
export async function requests(chain: Chain, account: string): Promise<Json> {
  return await chain.ask('database_api.find_account_recovery_requests', { accounts: [account] });
}

/** A new application of alice's; its id. */
export async function application(chain: Chain, name: string): Promise<number> {
  const body = {
    fee: '0.010000 COIN',
    author: 'alice',
    name,
    url: 'https://old.example',
    metadata: 'old',
    price_param: 0,
  };
  await chain.send([['application_create', body]], 'alice');
  return numberMember(await applications(chain, name), 'applications.0.id');
}

/** Searches applications by name. */
export async function applications(chain: Chain, name: string): Promise<Json> {
  return await chain.ask('alexandria_api.get_applications', { names: [name] });
}

/** Lists the purchases of an account. */
export async function buyings(chain: Chain, name: string): Promise<Json> {
  return at(
    await chain.ask('alexandria_api.get_application_buyings', { name, search_type: 'by_buyer', count: 100 }),
    'application_buyings',
  );
}

/** The documents of an application that an account has received, the oldest first. */
export async function received(chain: Chain, app_id: number, account_name: string): Promise<Json> {
  const params = { app_id, account_name, search_type: 'by_recipient_reverse', start: '1', count: 100 };
  return at(await chain.ask('alexandria_api.get_received_documents', params), 'received_documents');
}

/** An account vests what a witness must have, and becomes one with a key of its own name. */
export async function becomeWitness(chain: Chain, name: string): Promise<void> {
  const props = { account_creation_fee: '0.050000 COIN', maximum_block_size: 262_144, price_feeds: [] };
  const vest = ['transfer_to_vesting', { from: name, to: '', amount: '250000.000000 COIN' }];
  await chain.send(
    [
      vest,
      ['witness_update', { owner: name, url: `https://${name}.example`, block_signing_key: publicKey(name), props }],
    ],
    name,
  );
}

/** Blocks of a round. */
export const ROUND = 51;
/** As many as a story may need before the round ends: while a call waits, a busy machine makes many. */
const MOST_OF_STORY = 30;

/** Goes on to the next round when this one ends soon. */
export async function beginRound(chain: Chain): Promise<void> {
  const left = ROUND - (numberMember(await chain.ask('alexandria_api.info'), 'info.head_block_number') % ROUND);
  if (left < MOST_OF_STORY) await chain.produce(left);
}

/** The record of a witness; null when there is none. */
export async function witness(chain: Chain, owner: string): Promise<Json> {
  return listMember(await chain.ask('database_api.find_witnesses', { owners: [owner] }), 'witnesses')[0] ?? null;
}

/** Alice's offer to bob, with carol as the agent: 20 coins, and half a coin for carol. */
export async function escrowBody(chain: Chain, escrow_id: number, seconds = 3600): Promise<Members> {
  const times = {
    ratification_deadline: await chain.futureTime(seconds),
    escrow_expiration: await chain.futureTime(2 * seconds),
  };
  const amounts = {
    coin_amount: { amount: '20.000000', symbol: 'COIN' },
    escrow_fee: { amount: '0.500000', symbol: 'COIN' },
  };
  return { ...escrowParties(escrow_id), ...amounts, ...times, json_meta: '{"for":"a house"}' };
}

/** Returns the parties of such an escrow. */
export function escrowParties(escrow_id: number): Members {
  return { from: 'alice', to: 'bob', agent: 'carol', escrow_id };
}

/** An escrow that nobody has agreed to yet. */
export async function proposed(chain: Chain, escrow_id: number, seconds?: number): Promise<Members> {
  await chain.send([['escrow_transfer', await escrowBody(chain, escrow_id, seconds)]], 'alice');
  return escrowParties(escrow_id);
}

/** An escrow that bob and carol have agreed to. */
export async function approved(chain: Chain, escrow_id: number, seconds?: number): Promise<Members> {
  const parties = await proposed(chain, escrow_id, seconds);
  const approval = (who: string): Json => ['escrow_approve', { ...parties, who, approve: true }];
  await chain.send([approval('bob'), approval('carol')], 'bob', 'carol');
  return parties;
}

/** The record of alice's escrow of that number; null when there is none. */
export async function escrow(chain: Chain, escrow_id: number): Promise<Json> {
  const found = listMember(await chain.ask('database_api.find_escrows', { from: 'alice' }), 'escrows');
  return found.find((one) => numberMember(one, 'escrow_id') === escrow_id) ?? null;
}

/** An amount as the lineage's documents write it: the smallest units, their decimals, a number for the symbol. */
export function units(amount: string, precision: number, nai: string): Members {
  return { amount, precision, nai };
}
