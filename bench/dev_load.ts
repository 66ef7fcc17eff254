import { randomInt } from 'node:crypto';
import { assert } from '../src/base/assert.ts';
import { devAccounts, devSecret } from '../src/dev_chain/dev_genesis.ts';
import { fetchFacts } from '../src/load_test/chain_facts.ts';
import { runLoad, type LoadReport, type LoadSettings } from '../src/load_test/run_load.ts';
import { signInThreads } from '../src/load_test/sign_in_threads.ts';
import type { SignedBody } from '../src/load_test/signing_request.ts';
import { profileNamed } from '../src/settings/chain_settings.ts';
import type { DevNode } from './dev_node.ts';

/** Transfers in one post, and posts at once of clients who are in no hurry. */
export const BATCH = 100;
export const CONNECTIONS = 8;
/** Posts at once of a flood: two full batches of 1024, and what the writer is busy with meanwhile. */
export const FLOOD = 24;

const ACCEPTED = /network_broadcast_api\.broadcast_transaction/g;
const IN_BLOCK = 'network_broadcast_api.broadcast_transaction_synchronous';

const senders = devAccounts.map((name) => ({ name, secret: devSecret(name) }));

/** Settings of a load that differ from those of a flood of plain transfers. */
export type LoadForm = Partial<Pick<LoadSettings, 'memo' | 'batch' | 'connections'>>;

/** Posts that many signed transfers between the development accounts as a flood, and waits until all are in blocks. */
export async function load(node: DevNode, count: number, form: LoadForm = {}): Promise<LoadReport> {
  const fixed = { url: node.url, profileName: 'default', batch: BATCH, connections: FLOOD, threads: 1, pid: node.pid };
  const report = await runLoad({ ...fixed, ...form, senders, count, progress: () => {} });
  assert(
    report.found.count === count,
    `${count} transfers are in blocks, not ${report.found.count}; refused: ${[...report.posting.refused.keys()].join(', ')}`,
  );
  return report;
}

/** Bodies of posts with that many signed transfers; no two calls have one in common. */
export async function signedBodies({ client }: Pick<DevNode, 'client'>, count: number): Promise<SignedBody[]> {
  const { chainId, head, fee } = await fetchFacts(client, profileNamed('default'));
  const firstAmount = BigInt(randomInt(2 ** 32)) + 1n;
  const request = {
    profileName: 'default',
    chainId,
    fee,
    senders,
    referenceBlockId: head.id,
    expiration: head.time + 3000,
    firstAmount,
    first: 0,
    count,
    batch: BATCH,
  };
  return await signInThreads(request, 1, () => {});
}

/** The same as text, each transfer to be answered when it is in a block. */
export async function synchronousBodies(node: Pick<DevNode, 'client'>, count: number): Promise<string[]> {
  const bodies = await signedBodies(node, count);
  return bodies.map(({ body }) => Buffer.from(body).toString().replaceAll(ACCEPTED, IN_BLOCK));
}
