import assert from 'node:assert/strict';

import { headerDigest } from '../../src/blocks/header.ts';
import { blockSigner } from '../../src/blocks/verify.ts';
import { usualLimits } from '../../src/p2p/peers/network_settings.ts';
import type { KeptStandby } from '../../src/witness/standby.ts';
import { testKey, openChain } from '../builders/chain.ts';
import { RandomSource } from '../builders/random_source.ts';
import { MemoryJournal } from '../builders/memory_journal.ts';
import { copyBlock } from '../builders/parted_witnesses.ts';
import { makeNodeId } from '../builders/pipes.ts';
import type { SimNode } from './sim_node.ts';
import type { SimStandby } from './sim_node_options.ts';
import { SimWorld, witnessNames } from './sim_world.ts';
import { slotNumber } from '../../src/values/time.ts';

/** Enough for three peers that see the same, and for a smaller part that is one. */
export const WITNESSES = 5;
/** The witness that is taken over. */
export const DOUBLED = 'witness2';
const READY_SECONDS = 60;
/** A lost peer is dialled again soon: no test here is about the patience of a dialler. */
const SETTINGS = { limits: { ...usualLimits, longestRetryMs: 5000 } };

/** A standby's memory in place of its disk. */
export class MemoryKept {
  readonly damage = undefined;
  state: KeptStandby | undefined;

  read(): KeptStandby | undefined {
    return this.state;
  }

  write(state: KeptStandby): void {
    this.state = state;
  }
}

/** A slot of the doubled witness on the main branch; without a key when it was missed. */
export interface OwnSlot {
  readonly time: number;
  readonly key: string | undefined;
}

/** Four witnesses, a fifth whose machine will fail, and those who stand by for it. */
export class FailoverWorld {
  readonly world: SimWorld;
  readonly randomSource: RandomSource;
  readonly others: readonly SimNode[];
  active: SimNode;
  readonly standbys: SimNode[] = [];

  constructor(seed: number, standbyCount = 1) {
    this.world = new SimWorld({ seed, witnesses: WITNESSES, mostLatencyMs: 120 });
    this.randomSource = new RandomSource(this.world.deriveSeed('failover'));
    const names = witnessNames(WITNESSES).filter((name) => name !== DOUBLED);
    const offset = (): number => this.randomSource.roll(400) - 200;
    this.others = names.map((name, index) =>
      this.world.add({ name: `node${index}`, witnesses: [name], clockOffsetMs: offset(), settings: SETTINGS }),
    );
    const named = Array.from({ length: standbyCount }, (_, index) => `standby${index}`);
    this.active = this.world.add({
      ...{ name: 'active', witnesses: [DOUBLED], clockOffsetMs: offset(), journal: this.#journal() },
      ...{ standby: activeStandby(named), settings: SETTINGS },
    });
    for (const name of named) this.addStandby(name, name);
  }

  get observer(): SimNode {
    return this.others[0] ?? assert.fail('nobody');
  }

  addStandby(name: string, keyName: string, kept = new MemoryKept()): SimNode {
    const standby = this.world.add({
      ...{
        name,
        keyName,
        witnesses: [DOUBLED],
        clockOffsetMs: this.randomSource.roll(400) - 200,
        journal: new MemoryJournal(),
      },
      seeds: [...this.others.slice(0, 4), this.active].map(({ target }) => target),
      settings: SETTINGS,
      standby: { standbyFor: DOUBLED, pinned: [], standbys: [], kept },
    });
    this.standbys.push(standby);
    return standby;
  }

  /** Until every standby would take over, and then any part of a round. */
  getReady(): void {
    for (let seconds = 0; !this.standbys.every(isReady) || !this.#isOwnFinal(); seconds++) {
      assert(
        seconds < READY_SECONDS,
        `not ready: ${this.standbys.map((node) => node.duties?.report().standby?.obstacle).join()}`,
      );
      this.world.run(1);
    }
    this.world.run(this.randomSource.roll(3 * WITNESSES * 1000) / 1000);
  }

  /** The blocks that all began with were applied as final ones: a branch that parts there could not be followed. */
  #isOwnFinal(): boolean {
    return this.world.nodes.every(({ chain }) => chain.head.lastIrreversible >= this.world.blocks.length);
  }

  /** The journal of the machine that has made the witness's blocks until now. */
  #journal(): MemoryJournal {
    const { chainId: chain, blockIntervalSeconds } = this.world.parameters;
    const last =
      this.world.blocks.findLast(({ header }) => header.witness === DOUBLED) ?? assert.fail('it has made none');
    const { header, id } = last;
    const digest = Buffer.from(headerDigest(header)).toString('hex');
    const slot = slotNumber(header.timestamp, blockIntervalSeconds);
    return new MemoryJournal([{ chain, key: testKey(DOUBLED), slot, digest, id, previous: header.previous }]);
  }

  /** The key that the chain has for the witness. */
  get key(): string | undefined {
    return this.observer.chain.signingKeyOf(DOUBLED);
  }

  /** The witness's slots on the main branch since the world began, and when there were blocks. */
  history(): { readonly own: readonly OwnSlot[]; readonly blocks: readonly number[] } {
    const chain = openChain(this.world.parameters);
    chain.replay(this.world.blocks, { signatures: true });
    const own: OwnSlot[] = [];
    const blocks: number[] = [];
    for (let number = chain.head.number + 1; number <= this.observer.chain.head.number; number++) {
      const block = this.observer.chain.block(number) ?? assert.fail(`block ${number}`);
      const { timestamp } = block.header;
      for (let slot = 1; chain.slotTime(slot) <= timestamp; slot++) {
        const time = chain.slotTime(slot);
        if (chain.findProductionSlot(time)?.witness === DOUBLED)
          own.push({ time, key: time === timestamp ? blockSigner(block) : undefined });
      }
      chain.push(copyBlock(this.world.parameters, block));
      blocks.push(timestamp);
    }
    return { own, blocks };
  }
}

/** Returns the witness machine's settings about standbys with these keys. */
export function activeStandby(keyNames: readonly string[]): SimStandby {
  const standbys = keyNames.map((name) => ({ node: makeNodeId(name), key: testKey(name) }));
  return { standbyFor: undefined, pinned: [], standbys, kept: new MemoryKept() };
}

export function isReady(node: SimNode): boolean {
  const { standby } = node.duties?.report() ?? {};
  return standby !== undefined && standby.obstacle === undefined;
}
