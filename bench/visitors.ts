// Browsers that open the pages of a node, one after the other: every file of the explorer packed as a browser takes it,
// a page of the docs, and by WebSocket what the views ask for. The chain has a transfer of alice. Arguments: the URL,
// how many visits, and milliseconds from one to the next; says how many were made.
import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../src/base/assert.ts';
import { BlockTimes } from '../src/client/block_times.ts';
import { connect, type Client } from '../src/client/index.ts';
import { PAGES_FOLDER } from '../src/node/http/browser_pages.ts';
import { stepBack } from './client_priority.ts';

const [, , address = '', visits = '', everyMs = ''] = process.argv;
/** Blocks of a page of the list. */
const LISTED = 25;
const ROUND = 51;
const SHORT_ID = 8;
const SYMBOLS = ['USD', 'EUR', 'CHF', 'CNY', 'GBP'];

const files = listFiles(readFileSync(new URL('list.json', PAGES_FOLDER), 'utf8'));
const own = files.filter((name) => !name.startsWith('docs/')).map((name) => (name === 'index.html' ? '' : name));
const docs = files.filter((name) => name.startsWith('docs/'));
const agent = new Agent({ keepAlive: true, maxSockets: 6 });

stepBack();
await visit(0);
process.send?.('ready');
for (let number = 1; number < Number(visits); number++) {
  await sleep(Number(everyMs));
  await visit(number);
}
agent.destroy();
process.send?.('done');
process.disconnect();

async function visit(number: number): Promise<void> {
  await Promise.all([...own, docs[number % docs.length] ?? ''].map(load));
  await load('node/last_hour.json');
  await load('chain/last_hour.json');
  await load('chain/missed_week.json');
  const client = await connect(address.replace('http', 'ws'));
  await visitPages(client);
  client.close();
}

async function load(path: string): Promise<void> {
  const headers = { accept: 'text/html,*/*', 'accept-encoding': 'br, gzip' };
  await new Promise<void>((resolve, reject) => {
    get(new URL(path, address), { agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path}: ${response.statusCode}`));
      response.resume().on('end', resolve);
    }).on('error', reject);
  });
}

/** The first view, and each other one once. */
async function visitPages(client: Client): Promise<void> {
  const { properties } = await client.call('alexandria_api.get_dynamic_global_properties', {});
  const head = properties.head_block_number;
  await client.followBlocks(
    { startBlock: Math.max(1, head - ROUND) },
    { block: () => undefined, undone: () => undefined },
  );
  await Promise.all([
    client.call('database_api.get_config', {}),
    client.call('database_api.get_witness_schedule', {}),
    load(`chain/blocks/${Math.max(1, head - LISTED + 1)}-${head}.json`),
    load(`chain/blocks/${head}-${head}.json`),
    client.call('block_api.get_block_header', { block_num: head }),
    client.call('account_history_api.get_ops_in_block', { block_num: head }),
    client.call('database_api.list_accounts', { start: '', limit: 51, order: 'by_name' }),
    client.call('database_api.list_applications', { start: '', limit: 51, order: 'by_name' }),
    client.call('alexandria_api.get_account', { account_name: 'alice' }),
    visitHistory(client),
    client.call('alexandria_api.list_witnesses_by_vote', { name: '', limit: 60 }),
    ...SYMBOLS.map(async (symbol) => await client.call('alexandria_api.get_feed_history', { symbol })),
    client.call('alexandria_api.about', {}),
  ]);
  await visitTransaction(client);
}

/** A page of a history, with the times of its blocks. */
async function visitHistory(client: Client): Promise<void> {
  const page = { account: 'alice', start: -1, limit: LISTED - 1 };
  const { history } = await client.call('account_history_api.get_account_history', page);
  const entries = history.map(([, entry]) => entry);
  await new BlockTimes(() => 0).findAll(client, entries);
}

/** A transaction with its signers, found by the first digits of its id, and a search for a rare kind. */
async function visitTransaction(client: Client): Promise<void> {
  const { history } = await client.call('account_history_api.get_account_history', {
    account: 'alice',
    start: -1,
    limit: 0,
    filter: ['transfer'],
  });
  const id = history.at(-1)?.[1].trx_id;
  assert(id !== undefined, 'alice has sent or received something');
  const [{ transaction_id: _, block_num: __, transaction_num: ___, ...trx }] = await Promise.all([
    client.call('account_history_api.get_transaction', { id }),
    load(`chain/transactions/${id.slice(0, SHORT_ID)}.json`),
    client.call('account_history_api.get_account_history', {
      account: 'alice',
      start: -1,
      limit: 49,
      filter: ['escrow_dispute'],
    }),
  ]);
  const [, { keys: available_keys }] = await Promise.all([
    client.call('database_api.verify_authority', { trx }),
    client.call('database_api.get_potential_signatures', { trx: { ...trx, signatures: [] } }),
  ]);
  const { keys } = await client.call('database_api.get_required_signatures', { trx, available_keys });
  await client.call('alexandria_api.get_key_references', { keys });
  await client.call('database_api.find_accounts', { accounts: ['alice'] });
}

function listFiles(text: string): string[] {
  const list: unknown = JSON.parse(text);
  assert(typeof list === 'object' && list !== null, 'set-up lists the pages');
  return Object.keys(list);
}
