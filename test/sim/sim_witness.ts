import assert from 'node:assert/strict';

import type { Clock } from '../../src/base/clock.ts';
import { catchRefusal } from '../../src/base/refusal.ts';
import type { Alive } from '../../src/blocks/alive.ts';
import { makeKeyGuard } from '../../src/production/own_key_guard.ts';
import { StandbyDuties } from '../../src/production/standby_duties.ts';
import type { Network } from '../../src/p2p/network.ts';
import type { HeartbeatRound } from '../../src/witness/heartbeat_round.ts';
import type { KeyGuard } from '../../src/witness/key_guard.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import { ProductionLoop } from '../../src/witness/production_loop.ts';
import { RestartableProducer } from '../../src/witness/restartable_producer.ts';
import { testKey, testSecret } from '../builders/chain.ts';
import { makeHeartbeatRound } from './sim_alives.ts';
import type { SimNode } from './sim_node.ts';
import type { SimStandby } from './sim_node_options.ts';

/** A machine's work for its witnesses in one run of its process: production, the guard of its key, standbys. */
export class SimWitness {
  readonly guard: KeyGuard | undefined;
  readonly duties: StandbyDuties | undefined;
  readonly #node: SimNode;
  readonly #clock: Clock;
  readonly #heartbeats: HeartbeatRound | undefined;
  readonly #producer: RestartableProducer | undefined;
  readonly #loop: ProductionLoop | undefined;

  constructor(node: SimNode, clock: Clock, network: Network) {
    const { witnesses, standby } = node.options;
    this.#node = node;
    this.#clock = clock;
    this.duties = standby && this.#makeDuties(standby, network);
    this.guard = this.#makeGuard();
    if (witnesses.length === 0) return;
    this.#producer = this.#makeProducer();
    this.#heartbeats = makeHeartbeatRound(node, clock, this.#producer);
    this.#loop = this.#makeLoop(this.#producer);
  }

  start(): void {
    this.#loop?.start();
  }

  stop(): void {
    this.#loop?.stop();
  }

  /** Its operator has the chain go on. */
  restartChain(): void {
    this.#producer?.restart();
    this.#loop?.goOn();
  }

  takeAlive(alive: Alive): void {
    this.#heartbeats?.take(alive);
  }

  /** As the network's thread tells the writer, each second of a clock. */
  takePeers({ standing: { isSynced, voices: peers, clockAheadMs, inStep, sources } }: Network): void {
    const isBehind = !isSynced;
    this.guard?.takePeers({ peers, clockAheadMs, isBehind });
    this.duties?.takePeers({ inStep, sources, isBehind });
  }

  get #keys(): ReadonlySet<string> {
    const { witnesses, keyName, furtherKeyNames = [] } = this.#node.options;
    return new Set([...witnesses.map((name) => testKey(keyName ?? name)), ...furtherKeyNames.map(testKey)]);
  }

  #makeGuard(): KeyGuard | undefined {
    const { chain, options, world } = this.#node;
    const { journal, witnesses, seeds } = options;
    const signer = { keys: this.#keys, journal };
    return makeKeyGuard(
      { chain, parameters: world.parameters, clock: this.#clock, signer, log: { warning: () => undefined }, witnesses },
      { hasPeers: true, hasSeeds: seeds.length > 0, allowStale: true },
    );
  }

  #makeProducer(): RestartableProducer {
    const { chain, options } = this.#node;
    const { witnesses, requiredParticipation = 0 } = options;
    return new RestartableProducer({
      ...{ witnesses: new Set(witnesses), keys: this.#keys, usualParticipation: () => requiredParticipation },
      headNumber: () => chain.head.number,
    });
  }

  #makeLoop(producer: RestartableProducer): ProductionLoop {
    const { chain, options, world } = this.#node;
    const { allowStale = true } = options;
    return new ProductionLoop({
      ...{ clock: this.#clock, chain, producer, allowStale, everyMs: undefined },
      areEnoughAlive: () => this.#heartbeats?.areEnough === true,
      heldBack: (slot) => this.guard?.heldBack(slot, chain.head.time),
      produce: (turn) => world.produce(this.#node, turn),
      passed: () => undefined,
      looked: () => undefined,
      woke: () => {
        this.#node.slotMayBegin();
        this.guard?.look();
        this.#heartbeats?.look();
        this.duties?.look();
      },
    });
  }

  #makeDuties(standby: SimStandby, network: Network): StandbyDuties {
    const { chain, options, world } = this.#node;
    const witness = options.witnesses[0] ?? assert.fail('nobody to stand by for');
    const signer = new LocalSigner(
      [testSecret(options.keyName ?? witness)],
      undefined,
      standby.standbys.map(({ key }) => key),
    );
    return new StandbyDuties(standby, {
      ...{
        chain,
        clock: this.#clock,
        parameters: world.parameters,
        log: this.#node.log,
        signer,
        witness,
        kept: standby.kept,
      },
      hand: (node, packed) => network.standbySwitches.hand(node, packed),
      send: (transaction) => catchRefusal(() => this.#node.post(transaction))?.message,
    });
  }
}
