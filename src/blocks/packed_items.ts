import { ByteReader, ByteWriter } from '../codec/bytes.ts';

/** Encodes packed blocks or transactions into one buffer, each behind its length: many values cross a thread as one. */
export function encodePackedItems(items: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(items.reduce((sum, { length }) => sum + length + 4, 16));
  for (const item of items) {
    out.u32(item.length);
    out.bytes(item);
  }
  return out.finish();
}

/** The items in such a buffer, as views. */
export function* splitPackedItems(bytes: Uint8Array): Generator<Uint8Array> {
  for (const input = new ByteReader(bytes); input.remaining > 0;) yield input.bytes(input.u32());
}

/** The number of items in such a buffer. */
export function countItems(bytes: Uint8Array): number {
  let count = 0;
  for (const input = new ByteReader(bytes); input.remaining > 0; count++) input.skip(input.u32());
  return count;
}

/** Some of the items in such a buffer. */
export interface ItemGroup {
  readonly bytes: Uint8Array;
  /** True if nothing follows. */
  readonly isLast: boolean;
}

/** Splits the items into groups of at most that many items and bytes. */
export function* groupPackedItems(
  bytes: Uint8Array,
  most: { readonly items: number; readonly bytes: number },
): Generator<ItemGroup> {
  const input = new ByteReader(bytes);
  for (let [from, count] = [0, 0]; input.remaining > 0;) {
    input.skip(input.u32());
    count++;
    const { position } = input;
    const isLast = input.remaining === 0;
    if (!isLast && count < most.items && position - from < most.bytes) continue;
    yield { bytes: bytes.subarray(from, position), isLast };
    [from, count] = [position, 0];
  }
}
