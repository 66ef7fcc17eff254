import { isObject } from './node_page.ts';

/** The chain's last hour by minutes, the oldest first, as the node sums it up. */
export interface ChainHour {
  readonly bucketSeconds: number;
  readonly transactions: readonly number[];
  readonly bytes: readonly number[];
  readonly blocks: readonly number[];
}

/** Reads the node's answer; undefined for what is no such answer. */
export function readChainHour(json: unknown): ChainHour | undefined {
  if (!isObject(json)) return undefined;
  const numbers = (list: unknown): readonly number[] =>
    Array.isArray(list) ? list.filter((value) => typeof value === 'number') : [];
  const { bucket_seconds: bucketSeconds } = json;
  const [transactions, bytes, blocks] = [numbers(json.transactions), numbers(json.bytes), numbers(json.blocks)];
  const isWhole = transactions.length > 0 && [bytes, blocks].every(({ length }) => length === transactions.length);
  return typeof bucketSeconds === 'number' && isWhole ? { bucketSeconds, transactions, bytes, blocks } : undefined;
}

/** Transactions a second in each minute. */
export function minuteRates({ transactions, bucketSeconds }: ChainHour): number[] {
  return transactions.map((count) => count / bucketSeconds);
}

/** The share of the room in blocks that transactions took in each minute, in percent. */
export function minuteFullness({ bytes, blocks }: ChainHour, maximumBytes: number): number[] {
  return bytes.map((size, minute) => {
    const room = (blocks[minute] ?? 0) * maximumBytes;
    return room === 0 ? 0 : (100 * size) / room;
  });
}

/** Two digits say enough: `0.35`, `12`. */
export function roughText(value: number): string {
  return value >= 10 ? value.toFixed(0) : String(Number(value.toPrecision(2)));
}
