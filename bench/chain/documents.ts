import { assert } from '../../src/base/assert.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import { decodeVerifiedBatch, encodeVerifiedBatch } from '../../src/blocks/verified_batch.ts';
import { customJson } from '../../src/operations/custom_json.ts';
import { compareNames } from '../../src/values/account_name.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';

/** As many names of one or two characters as 8 KiB hold. */
const RECIPIENTS = 2600;
/** So many inboxes are more than RocksDB keeps in its buffers, so each message finds its own on the disk. */
const APPLICATIONS = 100;
const MESSAGE_MS = 20;

/** Measures the writer at the dearest message: 8 KiB that name as many recipients as they can. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const applications = quick ? 2 : APPLICATIONS;
  const dev = await DevChain.open();
  dev.seal();
  for (let app = 0; app < applications; app++) measureCost(dev, app, 1);
  const costs = Array.from({ length: applications }, (_, app) => measureCost(dev, app, 2)).sort((a, b) => a - b);
  await dev.close();
  const note = `CPU time, all threads, the cheapest of ${costs.length} because all are alike, the median is ${costs[costs.length >> 1]?.toFixed(0)}; ${RECIPIENTS} recipients with an inbox each, none of them in memory`;
  return [
    amountRow(
      'the dearest message',
      'read, applied, sealed and synced',
      { value: costs[0] ?? 0, unit: 'ms' },
      { budget: { atMost: MESSAGE_MS }, note },
    ),
  ];
}

const LETTERS = 'BCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const names = [...LETTERS]
  .flatMap((last) => ['', 'A', ...LETTERS].map((first) => first + last))
  .slice(0, RECIPIENTS)
  .toSorted(compareNames);

/** CPU-ms of a block with one message and nothing else. */
function measureCost(dev: DevChain, app: number, round: number): number {
  const verified = message(dev, app, round);
  assert(verified.packed.length < 8192, 'the message fits into a transaction');
  const batch = encodeVerifiedBatch([{ ticket: 0, verified }]);
  const before = process.cpuUsage();
  for (const { verified: read } of decodeVerifiedBatch(batch)) dev.chain.accept(read);
  const block = dev.seal();
  const { user, system } = process.cpuUsage(before);
  assert(block.transactions.length === 1, 'the message is in the block');
  return (user + system) / 1000;
}

function message(dev: DevChain, app: number, round: number): VerifiedTransaction {
  const fee = { amount: 10_000n, symbol: dev.parameters.coinSymbol };
  return dev.verified(
    customJson.of({ fee, sender: 'alice', recipients: names, app_id: BigInt(app), json: String(round) }),
    'alice',
  );
}
