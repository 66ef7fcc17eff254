import { ByteReader, type ByteWriter } from '../codec/bytes.ts';
import type { ValueOf } from '../codec/codec.ts';
import { vector } from '../codec/collections.ts';
import { u32, u64 } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { accountName, type AccountName } from '../values/account_name.ts';
import type { CustomContent } from './tables/custom_content.ts';

/** The location of a copy: its message, and its position among the message's copies. */
export const pointer = struct({ message: u64, place: u32 });
export const POINTER_BYTES = 12;

const delivery = struct({ recipient: accountName, recipient_sequence: u64 });

/** The copy of a message for one of its recipients. */
const documentCopy = struct({
  ...delivery.fields,
  /** The branches of the tree whose root is this copy: none or two, the newer first (inboxes.ts). */
  branches: vector(pointer),
});

export type Delivery = ValueOf<typeof delivery>;
export type DocumentCopy = ValueOf<typeof documentCopy>;

/** Number of bytes in a copy besides its name and branches; the last of them is the count of branches. */
const FIXED_BYTES = 10;

type Copies = Pick<CustomContent, 'copies'>;

/** The copy at a position; the others are not decoded, because there may be thousands. */
export function getCopy({ copies }: Copies, place: number): DocumentCopy {
  let at = 0;
  for (let before = 0; before < place; before++) at = behindCopy(copies, at);
  return documentCopy.read(new ByteReader(copies, at));
}

/** The names of all recipients, in the order of their copies. */
export function copyRecipients(copies: Copies): AccountName[] {
  return listDeliveries(copies).map(({ recipient }) => recipient);
}

/** The recipients of the message with their sequence numbers, in the order of the copies. */
export function listDeliveries({ copies }: Copies): Delivery[] {
  const input = new ByteReader(copies);
  const found: Delivery[] = [];
  while (input.remaining > 0) {
    found.push(delivery.read(input));
    input.bytes(POINTER_BYTES * input.u8());
  }
  return found;
}

/** The offset of the next copy. */
function behindCopy(copies: Uint8Array, at: number): number {
  const branchesAt = at + FIXED_BYTES + (copies[at] ?? 0);
  return branchesAt + POINTER_BYTES * (copies[branchesAt - 1] ?? 0);
}

/** Writes a copy whose branches, if any, are two pointers as bytes. */
export function writeCopy(
  out: ByteWriter,
  recipient: AccountName,
  sequence: bigint,
  branches: readonly Uint8Array[],
): void {
  accountName.write(out, recipient);
  out.u64(sequence);
  out.u8(branches.length);
  for (const branch of branches) out.bytes(branch);
}
