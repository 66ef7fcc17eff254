import { readBlock } from '../../blocks/block.ts';
import { proveBlock } from '../../blocks/prove.ts';
import { ByteReader } from '../../codec/bytes.ts';
import { encodeProvedBlocks } from './proved_blocks.ts';

/** Packed blocks in one buffer, each behind its length, and the chain that they belong to. */
export interface BlocksToProve {
  readonly chainId: string;
  readonly bytes: Uint8Array;
}

/** What the pool calls: reads blocks and finds out who signed them and their transactions. */
export function prove({ chainId, bytes }: BlocksToProve): Uint8Array<ArrayBuffer> {
  const input = new ByteReader(bytes);
  const blocks = [];
  while (input.remaining > 0) blocks.push(proveBlock(chainId, readBlock(input.bytes(input.u32()))));
  return encodeProvedBlocks(blocks);
}
