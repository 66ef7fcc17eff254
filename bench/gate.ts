// npm run check, step `speed`: fails when what people send (the mix of a real network), verifying signers or the state
// machine has become about twice as slow. What counts is CPU time relative to a yardstick that nobody here changes,
// measured in the same process and in turns.
import { hash } from 'node:crypto';
import { assert } from '../src/base/assert.ts';
import { verifySigners } from '../src/crypto/verify_signers.ts';
import { nativeAddon } from './crypto/peers.ts';
import { signedBatch } from './crypto/signed_batch.ts';
import { DevChain } from './dev_chain.ts';
import { MixedTraffic } from './mixed_traffic.ts';

/** Short enough to fit between two neighbours' turns on a busy core, long enough for the clock of CPU time. */
const TRANSFERS = 500;
const RECOVERED = 64;
const MIXED = 120;
/** At least so many turns for the compiler; more until everything was fast enough once, which what is slow never is. */
const LEAST_TURNS = 16;
const MOST_SLICES = 160;

/**
 * Yardsticks that a unit may cost: above what the dearest machine has measured, below twice what the cheapest one has
 * (bench/tried.md), so that twice as slow fails and another processor doesn’t.
 */
const BOUNDS = { verification: 0.22, transfer: 0.72, mixVerified: 2.8, mixApplied: 2 };

interface Cost {
  readonly name: string;
  /** CPU-µs of a unit, the cheapest turn. */
  micros: number;
}

interface Comparison {
  readonly ours: Cost;
  readonly yardstick: Cost;
  readonly ratio: number;
  readonly bound: number;
}

const verification: Cost = { name: 'a signature verified, batch of 1024, 16 keys', micros: Infinity };
const transfer: Cost = { name: 'a transfer applied, all checks but the signature', micros: Infinity };
const mixVerified: Cost = {
  name: 'a transaction of the mix, from its JSON to its signers, in batches of 24',
  micros: Infinity,
};
const mixApplied: Cost = { name: 'a transaction of the mix applied', micros: Infinity };
const recover: Cost = { name: 'a key recovered by the native addon', micros: Infinity };
const document: Cost = { name: 'a JSON document read, written and hashed', micros: Infinity };

const batch = signedBatch(1024, 16);
const addon = nativeAddon();
const text = JSON.stringify({
  list: Array.from({ length: 20 }, (_, k) => ({ name: `account-${k}`, amount: `${k * 7919}`, flags: [k, k + 1] })),
});
const dev = await DevChain.open({ durable: false });
const mixed = new MixedTraffic(dev);
let turns = 0;
while (turns < LEAST_TURNS || (turns < MOST_SLICES && !isFast())) takeTurn(turns++);
await dev.close();

console.log(`${turns} turns`);
for (const comparison of comparisons()) console.log(said(comparison));
if (!isFast()) process.exitCode = 1;

function takeTurn(turn: number): void {
  if (addon !== undefined) cheapest(recover, RECOVERED, () => addon(batch, RECOVERED));
  cheapest(verification, batch.count, () => assert(verifySigners(batch).recovered === 0, 'every item is verified'));
  cheapest(document, 200, readAndWrite);
  const transfers = dev.transfers(TRANSFERS, turn * TRANSFERS + 1);
  cheapest(transfer, TRANSFERS, () => {
    dev.chain.prefetch(transfers);
    for (const each of transfers) dev.chain.accept(each);
  });
  dev.seal();
  const { batches, count } = mixed.draw(MIXED);
  cheapest(mixVerified, count, () => mixed.verify(batches));
  cheapest(mixApplied, count, () => mixed.apply());
  dev.seal();
}

function readAndWrite(): void {
  for (let k = 0; k < 200; k++) hash('sha256', JSON.stringify(JSON.parse(text)), 'hex');
}

function cheapest(cost: Cost, units: number, work: () => void): void {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  cost.micros = Math.min(cost.micros, (user + system) / units);
}

function isFast(): boolean {
  return comparisons().every(({ ratio, bound }) => ratio <= bound);
}

function comparisons(): Comparison[] {
  const all = [compared(transfer, document, BOUNDS.transfer), compared(mixApplied, document, BOUNDS.mixApplied)];
  // Without the addon's binary there is nothing to compare it with that isn't our own code.
  if (addon === undefined) return all;
  return [
    ...all,
    compared(verification, recover, BOUNDS.verification),
    compared(mixVerified, recover, BOUNDS.mixVerified),
  ];
}

function compared(ours: Cost, yardstick: Cost, bound: number): Comparison {
  return { ours, yardstick, ratio: ours.micros / yardstick.micros, bound };
}

function said({ ours, yardstick, ratio, bound }: Comparison): string {
  const verdict = ratio <= bound ? 'fast enough' : 'TOO SLOW';
  return `${verdict}: ${ours.name}, ${ours.micros.toFixed(1)} µs, is ${ratio.toFixed(3)} of ${yardstick.name}, ${yardstick.micros.toFixed(1)} µs; at most ${bound}`;
}
