import { ByteReader, ByteWriter } from '../../codec/bytes.ts';

/** A broadcast on its way to a verifier: whose it is, how to read it, and its params as they came. */
export interface RawItem {
  readonly ticket: number;
  readonly method: string;
  /** Who sent it (rpc/services.ts). */
  readonly source: number;
  readonly dialect: 'default' | 'legacy';
  readonly operationForm: 'pair' | 'typed';
  readonly params: Uint8Array;
}

/** All items in one buffer of its own, which can be handed to another thread instead of being copied. */
export function encodeRawBatch(items: readonly RawItem[]): Uint8Array<ArrayBuffer> {
  const out = new ByteWriter(items.reduce((sum, { params }) => sum + params.length + 84, 16));
  out.u32(items.length);
  for (const item of items) {
    out.u32(item.ticket);
    out.u32(item.source);
    out.text(item.method);
    out.u8((item.dialect === 'legacy' ? 1 : 0) | (item.operationForm === 'typed' ? 2 : 0));
    out.u32(item.params.length);
    out.bytes(item.params);
  }
  return out.finish();
}

/** The items of a batch; `params` are views of it. */
export function decodeRawBatch(bytes: Uint8Array): RawItem[] {
  const input = new ByteReader(bytes);
  return Array.from({ length: input.u32() }, () => {
    const ticket = input.u32();
    const source = input.u32();
    const method = input.text();
    const flags = input.u8();
    const params = input.bytes(input.u32());
    return {
      ticket,
      source,
      method,
      dialect: (flags & 1) === 1 ? 'legacy' : 'default',
      operationForm: (flags & 2) === 2 ? 'typed' : 'pair',
      params,
    };
  });
}
