import assert from 'node:assert/strict';
import { signedBlock, type VerifiedBlock } from '../../src/blocks/block.ts';
import { Chain } from '../../src/chain/chain.ts';
import type { ChainHead } from '../../src/chain/chain_options.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { DataFolder } from '../../src/data_folder/data_folder.ts';
import { knownHardforks } from '../../src/state/hardforks.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { timeText } from '../../src/values/time.ts';
import { makeVersion } from '../../src/values/version.ts';
import { encoding, openChain, readTestParameters, produce, testGenesis } from './chain.ts';

/** The blocks are this old, so that nobody waits for them. */
const AGE_SECONDS = 900;
const BLOCKS_BEFORE = 20;

/**
 * The only witness of a chain, which runs a program that knows a hardfork more than this one, of version 1.99.0. Its
 * second block votes for it, so it is agreed on at once.
 */
export class NewerProgram {
  readonly genesisText: string;
  readonly #parameters: ChainParameters;
  readonly #chain: Chain;
  readonly #dueSeconds: number;
  #last: VerifiedBlock | undefined;

  constructor() {
    const began = Math.trunc(Date.now() / 1000) - AGE_SECONDS;
    const genesis = testGenesis({
      ...{ max_witnesses: 1, max_voted_witnesses: 1, finality: false },
      genesis_time: timeText(began),
    });
    this.genesisText = JSON.stringify(genesis);
    this.#dueSeconds = began + 3 * BLOCKS_BEFORE;
    const hardfork = {
      ...{ id: knownHardforks.length + 1, version: makeVersion(1, 99, 0), time: this.#dueSeconds },
      doc: 'planted by a test',
    };
    this.#parameters = { ...readTestParameters(genesis), hardforks: [...knownHardforks, hardfork] };
    this.#chain = openChain(this.#parameters);
  }

  get head(): ChainHead {
    return this.#chain.head;
  }

  /** True if the next block is the one that applies the hardfork. */
  get isDue(): boolean {
    return this.#chain.slotTime(1) >= this.#dueSeconds;
  }

  /** Makes a block; its JSON text, as methods take it. */
  next(): string {
    this.#last = produce(this.#chain);
    const { header } = this.#last;
    return writeJson(signedBlock.toJson({ ...header, transactions: [] }, encoding));
  }

  /** Goes on with the folder of a node that has stopped before the last block. */
  async continueFolder(path: string): Promise<void> {
    const folder = await DataFolder.lock(path, 'test');
    try {
      const store = await folder.open({ chainId: this.#parameters.chainId });
      try {
        const chain = new Chain({ store, parameters: this.#parameters, durable: false });
        chain.push(this.#last ?? assert.fail('a block'));
        assert.deepEqual(chain.head, this.head);
      } finally {
        await store.close();
      }
    } finally {
      folder.release();
    }
  }
}
