import { ByteReader, ByteWriter } from '../../codec/bytes.ts';

/** A broadcast on its way to a verifier: how to read it, who sent it, and its params as they came. */
export interface RawBroadcastItem {
  readonly method: string;
  /** Who sent it (rpc/services.ts). */
  readonly source: number;
  readonly dialect: 'default' | 'legacy';
  readonly operationForm: 'pair' | 'typed';
  readonly params: Uint8Array;
}

/** The same, and by which number it is spoken of. */
export interface RawItem extends RawBroadcastItem {
  readonly ticket: number;
}

const LEGACY = 1;
const TYPED = 2;
/** The method stands before; in a flood all are of one. */
const SAME_METHOD = 4;

/** Writes broadcasts into one buffer as they come, so that each is copied once and nothing else is kept of it. */
export class RawBatchWriter {
  readonly #out = new ByteWriter(16 * 1024);
  #method: string | undefined;

  /** What is written so far. */
  get length(): number {
    return this.#out.length;
  }

  add({ method, source, dialect, operationForm, params }: RawBroadcastItem): void {
    const out = this.#out;
    const isSame = method === this.#method;
    out.u8((dialect === 'legacy' ? LEGACY : 0) | (operationForm === 'typed' ? TYPED : 0) | (isSame ? SAME_METHOD : 0));
    if (!isSame) out.text(method);
    this.#method = method;
    out.u32(source);
    out.u32(params.length);
    out.bytes(params);
  }

  /**
   * The whole batch in a buffer of its own, which can be handed to another thread instead of being copied; the items' tickets count
   * from `firstTicket` on. Begins the next batch.
   */
  finish(firstTicket: number): Uint8Array<ArrayBuffer> {
    const out = this.#out;
    out.u32(firstTicket);
    const bytes = out.finish();
    out.reset();
    this.#method = undefined;
    return bytes;
  }
}

/** The items of a batch; `params` are views of it. */
export function decodeRawBatch(bytes: Uint8Array): RawItem[] {
  const end = bytes.length - TICKET_BYTES;
  const firstTicket = new ByteReader(bytes, end).u32();
  const input = new ByteReader(bytes, 0, end);
  const items: RawItem[] = [];
  let method = '';
  while (input.remaining > 0) {
    const flags = input.u8();
    if ((flags & SAME_METHOD) === 0) method = input.text();
    items.push({
      ticket: firstTicket + items.length,
      method,
      dialect: (flags & LEGACY) === 0 ? 'default' : 'legacy',
      operationForm: (flags & TYPED) === 0 ? 'pair' : 'typed',
      source: input.u32(),
      params: input.bytes(input.u32()),
    });
  }
  return items;
}

const TICKET_BYTES = 4;
