// A client in a process of its own: it signs transfers and posts them in batches, so many a second, until it is killed;
// asked by a message, it says how many it has posted. What is not answered fast enough is posted later: never more than
// so many posts at once.
import { setTimeout as sleep } from 'node:timers/promises';
import { profileNamed } from '../src/settings/chain_settings.ts';
import { devAccounts, devSecret } from '../src/dev_chain/dev_genesis.ts';
import { fetchFacts } from '../src/load_test/chain_facts.ts';
import { LoadedNode } from '../src/load_test/loaded_node.ts';
import { signTransfers } from '../src/load_test/sign_transfers.ts';
import { stepBack } from './client_priority.ts';
import { BATCH, CONNECTIONS } from './dev_load.ts';

const [, , url = '', rate = ''] = process.argv;
const LIFETIME_SECONDS = 3500;

stepBack();
const client = new LoadedNode(url);
const { chainId, head, fee } = await fetchFacts(client, profileNamed('default'));
const request = {
  profileName: 'default',
  chainId,
  fee,
  senders: devAccounts.map((name) => ({ name, secret: devSecret(name) })),
  referenceBlockId: head.id,
  expiration: head.time + LIFETIME_SECONDS,
  firstAmount: 1n,
  first: 0,
  count: Number.MAX_SAFE_INTEGER,
  batch: BATCH,
};
let posted = 0;
process.on('message', () => process.send?.(posted));
process.send?.('ready');
const startedMs = performance.now();
const underWay = new Set<Promise<void>>();
for (const { body } of signTransfers(request)) {
  await sleep(Math.max(0, startedMs + (posted * 1000) / Number(rate) - performance.now()));
  while (underWay.size >= CONNECTIONS) await Promise.race(underWay);
  posted += BATCH;
  const post: Promise<void> = client.post(body, BATCH).then(() => void underWay.delete(post));
  underWay.add(post);
}
