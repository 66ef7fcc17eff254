import type { Seconds } from '../../values/time.ts';

const MULTIPLIER = 2_685_821_657_736_338_717n; // of xorshift64*
const WORD = 64;

/** The items in the order determined by the time of a block (chain_rules.md#order-of-a-round). */
export function shuffled<T>(items: readonly T[], time: Seconds): T[] {
  const order = [...items];
  const seed = BigInt(time) << 32n;
  for (let at = 0; at < order.length; at++) {
    const other = at + Number(scramble(seed + BigInt(at) * MULTIPLIER) % BigInt(order.length - at));
    const [a, b] = [order[at], order[other]];
    if (a === undefined || b === undefined) continue;
    order[at] = b;
    order[other] = a;
  }
  return order;
}

function scramble(seed: bigint): bigint {
  let word = BigInt.asUintN(WORD, seed);
  word ^= word >> 12n;
  word ^= BigInt.asUintN(WORD, word << 25n);
  word ^= word >> 27n;
  return BigInt.asUintN(WORD, word * MULTIPLIER);
}
