import { present } from '../../src/base/assert.ts';
import { packBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { headerDigest, type BlockHeader } from '../../src/blocks/header.ts';
import { merkleRoot } from '../../src/blocks/merkle.ts';
import { blockSigner } from '../../src/blocks/verify.ts';
import type { VerifiedTransaction } from '../../src/blocks/transaction.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { isFcCanonical } from '../../src/crypto/canonical.ts';
import { sign } from '../../src/crypto/sign.ts';
import { testSecret } from './chain.ts';

/** Differences of a forged block from a valid one. */
export interface Forgery {
  readonly header?: Partial<BlockHeader>;
  readonly transactions?: readonly VerifiedTransaction[];
  /** The signer's name; the witness's own secret by default. */
  readonly signer?: string;
}

/** A well-formed, signed block for the next slot of a chain, made outside that chain, with whatever is wrong in it. */
export function forgedBlock(
  chain: Chain,
  { header: changes = {}, transactions = [], signer }: Forgery = {},
): VerifiedBlock {
  const { witness, timestamp } = present(chain.findProductionSlot(chain.slotTime(1)), 'a slot');
  const transaction_merkle_root = merkleRoot(transactions.map(({ leaf }) => leaf));
  const header = { previous: chain.head.id, timestamp, witness, transaction_merkle_root, extensions: [], ...changes };
  const signature = present(
    sign(headerDigest(header), testSecret(signer ?? header.witness), isFcCanonical),
    'a signature',
  );
  const signed = { ...header, witness_signature: Buffer.from(signature).toString('hex') };
  return { ...packBlock(signed, transactions), signer: blockSigner({ header: signed }) };
}
