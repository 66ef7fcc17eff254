import { packedBlockId, headerNumber, signedBlockHeader, type SignedBlockHeader } from '../../blocks/header.ts';
import { ByteReader } from '../../codec/bytes.ts';
import type { BlockId } from '../../values/hash.ts';

/** The header members in the first bytes of a packed block. */
export interface BlockSummary {
  readonly number: number;
  readonly id: BlockId;
  readonly header: SignedBlockHeader;
  readonly transactions: number;
}

/** Reads the header alone; a Refusal for what is none. */
export function summarizeBlock(packed: Uint8Array): BlockSummary {
  const input = new ByteReader(packed);
  const header = signedBlockHeader.read(input);
  const number = headerNumber(header);
  const id = packedBlockId(number, packed.subarray(0, input.position));
  return { number, id, header, transactions: input.varint() };
}
