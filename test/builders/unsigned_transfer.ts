import { present } from '../../src/base/assert.ts';
import { packBlock } from '../../src/blocks/block.ts';
import { headerDigest } from '../../src/blocks/header.ts';
import { merkleRoot } from '../../src/blocks/merkle.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { devSecret } from '../../src/dev_chain/dev_genesis.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { makeTransaction, transferJson } from './chain.ts';
import { quickSignature } from './quick_signature.ts';

/** Adds a block with a transfer that nobody has signed: only who doesn't look takes it. */
export function addUnsignedTransfer(chain: Chain, parameters: ChainParameters): void {
  const unsigned = makeTransaction(chain, parameters, [transferJson('alice', 'bob', 1)], []);
  const { witness, timestamp } = present(chain.findProductionSlot(chain.slotTime(1)), 'a slot');
  const header = {
    previous: chain.head.id,
    timestamp,
    witness,
    transaction_merkle_root: merkleRoot([unsigned.leaf]),
    extensions: [],
  };
  const witness_signature = quickSignature(headerDigest(header), devSecret(witness));
  chain.replay([{ ...packBlock({ ...header, witness_signature }, [unsigned]), signer: undefined }], {
    signatures: true,
  });
}
