import { assert } from '../base/assert.ts';
import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { CalledBroadcast, PackedBroadcast } from '../rpc/services.ts';
import type { WaitFor } from '../rpc/wait_for.ts';
import { bundle, type BundledTransaction } from '../wire/messages/bundle.ts';

/** A broadcast on its way to a verifier: its encoding, its sender (rpc/services.ts) and its content. */
export type RawBroadcastItem = (CalledBroadcast | PackedBroadcast) & {
  readonly senderId: number;
  readonly dialect: 'default' | 'legacy';
  readonly operationForm: 'pair' | 'typed';
};

/** A bundle of a peer on its way to a verifier, as a message of kind `bundle`, and the number of its transactions. */
export interface RawBundle {
  readonly senderId: number;
  readonly message: Uint8Array;
  readonly count: number;
}

/** A broadcast or a transaction of a bundle, with its ticket. */
export type RawItem = (RawBroadcastItem | BundledItem) & { readonly ticket: number };

export interface BundledItem {
  readonly senderId: number;
  readonly bundled: BundledTransaction;
}

const LEGACY = 1;
const TYPED = 2;
/** The method is that of the previous item; under heavy load all are usually the same. */
const SAME_METHOD = 4;
const PACKED = 8;
const AWAITS_BLOCK = 16;
/** Together with AWAITS_BLOCK: until that block is final. */
const AWAITS_FINALITY = 64;
/** A bundle, which is as many items as it has transactions. */
const BUNDLE = 32;

const AWAITS = { accepted: 0, block: AWAITS_BLOCK, final: AWAITS_BLOCK | AWAITS_FINALITY } as const satisfies Record<
  WaitFor,
  number
>;

/** Writes broadcasts into one buffer as they arrive, so that each is copied once and nothing else of it is kept. */
export class RawBatchWriter {
  readonly #out = new ByteWriter(16 * 1024);
  #method: string | undefined;

  /** Bytes written so far. */
  get length(): number {
    return this.#out.length;
  }

  add(item: RawBroadcastItem): void {
    const { senderId, dialect, operationForm } = item;
    const form = (dialect === 'legacy' ? LEGACY : 0) | (operationForm === 'typed' ? TYPED : 0);
    const body = 'packed' in item ? this.#headPacked(form, item) : this.#headCalled(form, item);
    this.#out.u32(senderId);
    this.#out.u32(body.length);
    this.#out.bytes(body);
  }

  /** The bundle is as many items, with consecutive tickets. */
  addBundle({ senderId, message, count }: RawBundle): void {
    this.#out.u8(BUNDLE);
    this.#out.u32(senderId);
    this.#out.u16(count);
    this.#out.u32(message.length);
    this.#out.bytes(message);
  }

  #headCalled(form: number, { method, params }: CalledBroadcast): Uint8Array {
    const isSame = method === this.#method;
    this.#out.u8(form | (isSame ? SAME_METHOD : 0));
    if (!isSame) this.#out.text(method);
    this.#method = method;
    return params;
  }

  #headPacked(form: number, { packed, waitFor }: PackedBroadcast): Uint8Array {
    this.#out.u8(form | PACKED | AWAITS[waitFor]);
    return packed;
  }

  /**
   * The whole batch in a buffer of its own, which can be transferred to another thread without copying; the items'
   * tickets are numbered from `firstTicket`. Begins the next batch.
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

/** The items of a batch; `params`, `packed` and what is in bundles are views of `bytes`. */
export function decodeRawBatch(bytes: Uint8Array): RawItem[] {
  const end = bytes.length - TICKET_BYTES;
  const firstTicket = new ByteReader(bytes, end).u32();
  const input = new ByteReader(bytes, 0, end);
  const items: RawItem[] = [];
  let method = '';
  while (input.remaining > 0) {
    const flags = input.u8();
    if ((flags & BUNDLE) !== 0) {
      readBundle(input, items, firstTicket);
      continue;
    }
    const isPacked = (flags & PACKED) !== 0;
    if (!isPacked && (flags & SAME_METHOD) === 0) method = input.text();
    const ticket = firstTicket + items.length;
    const dialect = (flags & LEGACY) === 0 ? 'default' : 'legacy';
    const operationForm = (flags & TYPED) === 0 ? 'pair' : 'typed';
    const senderId = input.u32();
    const body = input.bytes(input.u32());
    if (isPacked) {
      const waitFor = (flags & AWAITS_BLOCK) === 0 ? 'accepted' : (flags & AWAITS_FINALITY) === 0 ? 'block' : 'final';
      items.push({ ticket, packed: body, waitFor, dialect, operationForm, senderId });
    } else items.push({ ticket, method, params: body, dialect, operationForm, senderId });
  }
  return items;
}

function readBundle(input: ByteReader, items: RawItem[], firstTicket: number): void {
  const senderId = input.u32();
  const count = input.u16();
  const transactions = bundle.decode(input.bytes(input.u32()));
  assert(transactions.length === count, 'as many transactions as tickets');
  for (const bundled of transactions) items.push({ ticket: firstTicket + items.length, senderId, bundled });
}

const TICKET_BYTES = 4;
