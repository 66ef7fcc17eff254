import { testKey, testSecret, signTransaction } from './chain.ts';
import { quickSignature } from './quick_signature.ts';
import { present } from '../../src/base/assert.ts';
import { verifyBlock } from '../../src/blocks/verify.ts';
import type { PackedBlock } from '../../src/blocks/block.ts';
import { Chain } from '../../src/chain/chain.ts';
import { makeOrigin } from '../../src/chain/chain_origin.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { chainParameters, type ChainParameters } from '../../src/state/parameters.ts';
import { accounts, type Account } from '../../src/state/tables/account.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { blockReference } from '../../src/values/block_reference.ts';
import { profiles } from '../../src/values/profile.ts';
import { publicKeyText } from '../../src/values/public_key.ts';

/** The first balance of every account, in millionths. */
export const FUNDS = 1_000_000_000_000n;

const SECONDS_VALID = 60;
const profile = present(profiles['default'], 'the default profile');

/**
 * A whole chain in rule set `interface`, with signatures, fees and blocks. Every account's key is derived from its
 * name, that of `initminer` from `init_key`.
 */
export class OwnChain {
  readonly parameters: ChainParameters;
  readonly chain: Chain;
  #transactions = 0;

  constructor(names: readonly string[]) {
    const genesis = {
      genesis_time: '2026-11-21T00:00:00',
      initial_balace: 300_000_000_000_000,
      confirmations_from_block: 201_600,
      finality: false,
      initial_public_key: publicKeyText(testKey('init_key'), profile.keyPrefix),
      initial_accounts: names.map((name) => ({
        name,
        key: publicKeyText(testKey(name), profile.keyPrefix),
        balance: Number(FUNDS),
      })),
    };
    const origin = makeOrigin(Buffer.from(JSON.stringify(genesis)), profile);
    this.parameters = chainParameters(profile, origin.genesis, origin.chainId);
    this.chain = this.another();
  }

  /** A second chain of the same genesis, at its beginning. */
  another(): Chain {
    return new Chain({ store: new MemoryStore(), parameters: this.parameters, durable: false });
  }

  account(name: string): Account {
    return present(this.chain.committed.get(accounts, name), name);
  }

  /** Signs the operations with the keys of these names and puts them into the next block. */
  submit(operations: readonly Operation[], signers: readonly string[]): void {
    const { head } = this.chain;
    const reference = head.number === 0 ? { ref_block_num: 0, ref_block_prefix: 0 } : blockReference(head.id);
    // Different expirations keep equal transactions in one block apart.
    const expiration = head.time + SECONDS_VALID + (this.#transactions++ % SECONDS_VALID);
    const unsigned = { ...reference, expiration, operations, extensions: [], signatures: [] };
    this.chain.accept(signTransaction(this.parameters.chainId, unsigned, signers));
  }

  /** Produces the block of the `slot`-th slot after the head. */
  seal(slot = 1): void {
    const timestamp = this.chain.slotTime(slot);
    const { witness } = present(this.chain.findProductionSlot(timestamp), 'a slot');
    this.chain.seal({ witness, timestamp, sign: (digest) => quickSignature(digest, testSecret('init_key')) });
  }

  /** Submits and seals. */
  apply(operations: readonly Operation[], signers: readonly string[]): void {
    this.submit(operations, signers);
    this.seal();
  }

  /** All blocks, from the first on. */
  blocks(): PackedBlock[] {
    return Array.from({ length: this.chain.head.number }, (_, index) =>
      present(this.chain.block(index + 1), 'a block'),
    );
  }

  /** The state hash of another node that was given these blocks. */
  hashElsewhere(): string {
    const chain = this.another();
    for (const block of this.blocks()) chain.push(verifyBlock(this.parameters.chainId, block));
    return chain.head.stateHash;
  }
}
