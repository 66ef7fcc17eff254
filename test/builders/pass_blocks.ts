import assert from 'node:assert/strict';
import { packBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import type { Chain } from '../../src/chain/chain.ts';
import { headerDigest } from '../../src/blocks/header.ts';
import { merkleRoot } from '../../src/blocks/merkle.ts';
import { scheduledNames } from '../../src/chain/apply/slots.ts';
import { witnessSchedule } from '../../src/state/tables/witness_schedule.ts';
import { testKey, testSecret } from './chain.ts';
import { quickSignature } from './quick_signature.ts';

/** So many in a write: what they change lies in memory until then. */
const IN_A_WRITE = 500;

/**
 * Empty blocks of a chain's only witness, applied as an import applies what it trusts: signatures unchecked, and many
 * in a write, for a fraction of what making them takes. The blocks are the same, but can't be undone.
 */
export function passBlocks(chain: Chain, count: number): void {
  const [witness = '', ...others] = scheduledNames(chain.committed.only(witnessSchedule));
  assert.deepEqual([others, chain.pendingTransactions], [[], []], 'one witness makes blocks, and they are empty');
  for (let left = count; left > 0; left -= IN_A_WRITE) {
    const blocks: VerifiedBlock[] = [];
    for (let slot = 1; slot <= Math.min(left, IN_A_WRITE); slot++) {
      const previous = blocks.at(-1)?.id ?? chain.head.id;
      const header = {
        previous,
        timestamp: chain.slotTime(slot),
        witness,
        transaction_merkle_root: merkleRoot([]),
        extensions: [],
      };
      const witness_signature = quickSignature(headerDigest(header), testSecret(witness));
      blocks.push({ ...packBlock({ ...header, witness_signature }, []), signer: testKey(witness) });
    }
    chain.replay(blocks, { signatures: true });
  }
}
