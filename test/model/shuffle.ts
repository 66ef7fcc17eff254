import { u64 } from './values.ts';

const MULTIPLIER = 2_685_821_657_736_338_717n;

/** chain_rules.md#order-of-a-round: the order of a round, from the time of the block that decides it. */
export function shuffled(names: readonly string[], time: number): string[] {
  const list = [...names];
  const base = u64(BigInt(time) << 32n);
  for (const [i] of names.entries()) {
    let k = u64(base + BigInt(i) * MULTIPLIER);
    k ^= k >> 12n;
    k = u64(k ^ (k << 25n));
    k ^= k >> 27n;
    k = u64(k * MULTIPLIER);
    const j = i + Number(k % BigInt(names.length - i));
    [list[i], list[j]] = [list[j] ?? '', list[i] ?? ''];
  }
  return list;
}
