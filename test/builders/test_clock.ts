import type { Json } from '../../src/codec/json.ts';
import type { VerifiedBlock } from '../../src/blocks/block.ts';
import type { Chain } from '../../src/chain/chain.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { MemoryStore } from '../../src/storage/memory.ts';
import { assertSound, openChain, produce, testParameters, makeTransaction } from './chain.ts';
import { passBlocks } from './pass_blocks.ts';
import type { RuleSet } from '../../src/state/rules/index.ts';

export const HOUR = 3600;
export const DAY = 24 * HOUR;

/**
 * A chain whose time a test controls: years can pass in one block. The interval is an hour, so a day is 24 blocks, and
 * what the chain counts in blocks is due soon.
 */
export class TestClock {
  readonly parameters: ChainParameters;
  readonly store = new MemoryStore();
  readonly chain: Chain;

  constructor(overrides: Readonly<Record<string, Json>> = {}, rules: RuleSet = 'interface') {
    this.parameters = testParameters(
      {
        block_interval: HOUR,
        max_witnesses: 5,
        max_voted_witnesses: 4,
        initial_witness_req_vesting_balance: 0,
        final_witness_req_vesting_balance: 0,
        max_allowed_ops: 1000,
        ...overrides,
      },
      rules,
    );
    this.chain = openChain(this.parameters, this.store);
    this.blocks(1);
  }

  /** Puts a transaction into the next block. */
  send(signers: string | readonly string[], ...operations: Json[]): void {
    const names = typeof signers === 'string' ? [signers] : signers;
    this.chain.accept(
      makeTransaction(this.chain, this.parameters, operations, names, { expiration: this.chain.head.time + HOUR }),
    );
  }

  /** The same, and the block. */
  apply(signers: string | readonly string[], ...operations: Json[]): void {
    this.send(signers, ...operations);
    this.blocks(1);
  }

  blocks(count: number): void {
    for (let made = 0; made < count; made++) produce(this.chain);
  }

  /** So many blocks that can't be undone, for a fraction of what it takes to make them. */
  pass(count: number): void {
    passBlocks(this.chain, count);
  }

  /** A block that many seconds after the head; all slots between are missed. */
  jump(seconds: number): VerifiedBlock {
    return produce(this.chain, seconds / HOUR);
  }

  assertSound(): void {
    assertSound(this.chain, this.parameters, this.store);
  }
}
