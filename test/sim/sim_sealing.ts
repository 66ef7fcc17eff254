import { present } from '../../src/base/assert.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import type { BlockHeader } from '../../src/blocks/header.ts';
import { signWithSecret } from '../../src/blocks/sign_transaction.ts';
import { signRecorded } from '../../src/witness/signing_journal.ts';
import type { ProductionSlot } from '../../src/witness/produce.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import type { SimNode } from './sim_node.ts';

/** Makes and signs a machine's blocks, as its journal allows. */
export class SimSealing {
  readonly #node: SimNode;
  #isSealing = false;

  constructor(node: SimNode) {
    this.#node = node;
  }

  /** True when the block being applied is this machine's own. */
  get isSealing(): boolean {
    return this.#isSealing;
  }

  /** Makes the block of a turn. */
  seal({ witness, timestamp }: ProductionSlot): void {
    this.#isSealing = true;
    catchRefusal(
      () => void this.#node.chain.seal({ witness, timestamp, sign: (digest, header) => this.#sign(digest, header) }),
    );
    this.#isSealing = false;
    this.#node.settle();
  }

  /** Makes it so much later, if its slot isn't over by then. */
  sealLater(turn: ProductionSlot, ms: number): void {
    const node = this.#node;
    const { heap, parameters } = node.world;
    node.later(ms, () => {
      const nowMs = heap.nowMs + node.clockOffsetMs;
      if (nowMs < (turn.timestamp + parameters.blockIntervalSeconds) * 1000) this.seal(turn);
    });
  }

  #sign(digest: Uint8Array, header: BlockHeader): string {
    const { world, options } = this.#node;
    const { witness, timestamp } = header;
    const { journal, furtherKeyNames = [] } = options;
    const signingKey = this.#node.chain.signingKeyOf(witness);
    const keyName = furtherKeyNames.find((name) => testKey(name) === signingKey) ?? options.keyName ?? witness;
    const sign = (): string => {
      world.checks.signs(this.#node, witness, keyName, timestamp);
      return present(signWithSecret(digest, testSecret(keyName)), 'a signature');
    };
    if (journal === undefined) return sign();
    const { chainId: chain, blockIntervalSeconds: intervalSeconds } = world.parameters;
    return signRecorded(journal, { chain, key: testKey(keyName), timestamp, intervalSeconds }, header, digest, sign);
  }
}
