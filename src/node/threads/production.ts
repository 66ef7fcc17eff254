import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Log } from '../../base/log.ts';
import { refusalOf } from '../../base/refusal.ts';
import { blockSigner } from '../../blocks/verify.ts';
import type { Chain } from '../../chain/chain.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { PreparedBlock } from '../../chain/seal_block.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { Alive } from '../../blocks/alive.ts';
import { witnesses as witnessTable } from '../../state/tables/witness.ts';
import type { PublicKey } from '../../values/public_key.ts';
import { timeText } from '../../values/time.ts';
import { AliveRound } from '../../witness/alive_round.ts';
import type { BlockSigner, SignAnswer } from '../../witness/block_signer.ts';
import { foreignSentence, KeyGuard, type PeersSeen, type SeenBlock } from '../../witness/key_guard.ts';
import { nextSlotsOf } from '../../witness/next_slots.ts';
import { ProductionLoop } from '../../witness/production_loop.ts';
import { ProductionWatch, type WitnessFigures } from '../../witness/production_watch.ts';
import { RestartableProducer } from '../../witness/restartable_producer.ts';
import { SAFE_PARTICIPATION, usualParticipation } from '../../witness/required_participation.ts';
import type { ProductionSlot } from '../../witness/produce.ts';
import type { SlotHistory } from '../../witness/slot_history.ts';
import { StandbyFile } from '../standby_file.ts';
import { ClockJumps } from './clock_jumps.ts';
import { DebugCommands } from './debug_commands.ts';
import type { FromWriter, ProductionReport, ProductionSettings, SlotTimes } from './messages.ts';
import type { MovableClock } from './movable_clock.ts';
import { StandbyDuties, type StandbyReports } from './standby_duties.ts';
import type { PeersInStep } from '../../witness/standby.ts';

/** What production is built from. */
export interface ProductionParts {
  readonly chain: Chain;
  /** The chain's time; `machineClock` is the machine's. */
  readonly clock: MovableClock;
  readonly machineClock: Clock;
  readonly parameters: ChainParameters;
  readonly log: Log;
  readonly signer: BlockSigner;
  readonly history: SlotHistory;
  readonly tell: (message: FromWriter) => void;
  /** Sends a transaction to the network; why it is refused, undefined when it isn't. */
  readonly send: (transaction: VerifiedTransaction) => string | undefined;
  /** Ends the writer when `run` throws what is no refusal. */
  readonly guard: (run: () => void) => void;
}

/** A block that waits for its signature. */
interface OpenBlock {
  readonly slot: ProductionSlot;
  readonly prepared: PreparedBlock;
  /** When the slot began; undefined for a block that was ordered. */
  readonly slotMs: number | undefined;
  readonly startedMs: number;
}

/** Makes this node's blocks in three steps, so that nothing waits for the signer: prepared, signed, adopted. */
export class Production {
  readonly #parts: ProductionParts;
  readonly #settings: ProductionSettings;
  readonly #producer: RestartableProducer;
  readonly #guard: KeyGuard | undefined;
  /** Undefined where there is nobody to hear of it, and where no slot is missed. */
  readonly #alives: AliveRound | undefined;
  readonly #standby: StandbyDuties | undefined;
  readonly #watch: ProductionWatch;
  readonly #loop: ProductionLoop;
  #open: OpenBlock | undefined;
  #isPaused = false;
  #isProducing = false;
  #refusedSignatures = 0;
  /** What the front has been told of. */
  #told = '';

  /** Fault `key_locked` when somebody else was seen to sign with a key in use. */
  constructor(settings: ProductionSettings, parts: ProductionParts) {
    this.#parts = parts;
    this.#settings = settings;
    const { chain, signer } = parts;
    this.#producer = new RestartableProducer({
      ...{ witnesses: new Set(settings.witnesses), keys: signer.keys },
      usualParticipation: () => settings.requiredParticipation ?? usualParticipation(this.#isFinalByRound),
      headNumber: () => chain.head.number,
    });
    this.#refuseLowParticipation();
    this.#requireUnlocked();
    this.#guard = this.#guardOf();
    this.#alives = settings.hasPeers === true && this.#countsSlots ? this.#alivesOf() : undefined;
    this.#standby = this.#standbyOf();
    this.#watch = this.#watchOf();
    this.#loop = this.#loopOf();
  }

  /** Whether the block being applied is this node's own. */
  get isProducing(): boolean {
    return this.#isProducing;
  }

  get witnesses(): readonly WitnessFigures[] {
    return this.#watch.witnesses;
  }

  /** The number of keys that none of these witnesses signs with. */
  get unusedKeys(): number {
    return this.#watch.unusedKeys;
  }

  /** Slots that were not signed because the journal has a block of them, or of later ones. */
  get refusedSignatures(): number {
    return this.#refusedSignatures;
  }

  /** What standbys of this node have, and what it is ready for as one. */
  get standby(): StandbyReports {
    return this.#standby?.report() ?? { standby: undefined, offers: [] };
  }

  start(): void {
    this.#loop.start();
    this.#tellProblems();
  }

  stop(): void {
    this.#loop.stop();
    this.#open = undefined;
  }

  close(): void {
    this.stop();
    this.#parts.signer.close();
  }

  /** What the node knows of its peers, each second. */
  takePeers(seen: PeersSeen & PeersInStep): void {
    this.#guard?.takePeers(seen);
    this.#standby?.takePeers(seen);
  }

  /** A witness is there, by its signature. */
  takeAlive(alive: Alive): void {
    this.#alives?.take(alive);
  }

  /** Looks at a block from elsewhere, whatever becomes of it. */
  see(block: SeenBlock): void {
    this.#guard?.take(block);
    this.#tellProblems();
  }

  /** A peer has sent a switch. */
  takeSwitch(from: string, packed: Uint8Array): void {
    this.#standby?.take(from, packed);
  }

  /** The chain has another head. */
  headMoved(): void {
    if (!this.#isProducing) this.#guard?.headMoved(this.#parts.chain.head.time);
  }

  /** The operator wants no blocks for a while, or wants them again. */
  pause(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (!isPaused) this.#watch.resumed();
  }

  /** The operator wants a stopped chain to go on; from which block on participation is required again. */
  restartChain(): number {
    this.#loop.goOn();
    const until = this.#producer.restart();
    this.#parts.log.warning(`the chain is restarted: participation is no reason to make no block until block ${until}`);
    return until;
  }

  /** For the operator. */
  report(): ProductionReport {
    const nextSlots = nextSlotsOf(this.#parts.chain, this.#producer, this.#parts.machineClock);
    return {
      isPaused: this.#isPaused,
      witnesses: this.#watch.witnesses.map((each) => Object.assign(each, { nextSlot: nextSlots.get(each.witness) ?? 0 })),
      ...this.standby,
    };
  }

  /** What users of a development chain order. */
  debugCommands(): DebugCommands {
    const { chain, clock } = this.#parts;
    return new DebugCommands({ chain, clock, producer: this.#producer, produce: (slot) => this.#begin(slot) });
  }

  #begin(slot: ProductionSlot, slotMs?: number): void {
    const { chain, clock, signer, parameters } = this.#parts;
    const { timestamp, signingKey: key } = slot;
    const startedMs = clock.nowMs();
    let prepared: PreparedBlock | undefined;
    const refusal = refusalOf(() => {
      prepared = chain.prepare(slot);
    });
    if (refusal !== undefined || prepared === undefined) return this.#lose(slot, refusal?.message ?? '');
    const open: OpenBlock = { slot, prepared, slotMs, startedMs };
    this.#open = open;
    const { chainId, blockIntervalSeconds: intervalSeconds } = parameters;
    signer.signBlock({ chain: chainId, key, timestamp, intervalSeconds }, prepared.header, (answer) =>
      this.#parts.guard(() => this.#finish(open, answer)),
    );
  }

  /** Nobody has waited for the answer: the slot may be over by now, and the head another one. */
  #finish(open: OpenBlock, answer: SignAnswer): void {
    if (this.#open !== open) return;
    this.#open = undefined;
    if (answer.kind === 'refused') {
      if (answer.code === 'slot_already_signed') this.#refusedSignatures++;
      return this.#lose(open.slot, answer.message);
    }
    if (this.#isOver(open.slot)) return this.#lose(open.slot, 'the signature came after the end of the slot');
    this.#isProducing = true;
    const refusal = refusalOf(() => void this.#parts.chain.adopt(open.prepared, answer.signature));
    this.#isProducing = false;
    if (refusal !== undefined) this.#lose(open.slot, refusal.message);
    else this.#tellProduced(open);
  }

  #isOver({ timestamp }: ProductionSlot): boolean {
    const { clock, parameters } = this.#parts;
    return this.#countsSlots && clock.nowMs() >= (timestamp + parameters.blockIntervalSeconds) * 1000;
  }

  /** At a block rate of this node's own, and where it owns its time, no slot is over. */
  get #countsSlots(): boolean {
    return this.#settings.everyMs === undefined && !this.#settings.ownTime;
  }

  #lose({ witness, timestamp }: ProductionSlot, why: string): void {
    this.#parts.log.error(`no block for ${witness} at ${timeText(timestamp)}: ${why}`);
  }

  #tellProduced({ slotMs, startedMs }: OpenBlock): void {
    if (slotMs === undefined) return;
    const { clock, machineClock, tell } = this.#parts;
    const slot: SlotTimes = {
      startedLateMs: startedMs - slotMs,
      committedLateMs: clock.nowMs() - slotMs,
      committedMs: machineClock.nowMs(),
    };
    tell({ kind: 'produced', slot });
  }

  /** For `/health`. */
  #tellProblems(): void {
    const foreign = this.#guard?.foreign ?? [];
    const problems = [...foreign.map((block) => this.#sentenceOf(block)), ...(this.#standby?.problems ?? [])];
    const said = problems.join();
    if (said === this.#told) return;
    this.#told = said;
    this.#parts.tell({ kind: 'production', problems });
  }

  #sentenceOf(block: KeyGuard['foreign'][number]): string {
    const { profile, blockIntervalSeconds } = this.#parts.parameters;
    return foreignSentence(block, profile.keyPrefix, blockIntervalSeconds);
  }

  /** Blocks are final a round later, whoever has made those of the round: before witnesses are counted. */
  get #isFinalByRound(): boolean {
    const { chain, parameters } = this.#parts;
    return chain.head.number < parameters.confirmationsFromBlock;
  }

  #refuseLowParticipation(): void {
    const { requiredParticipation: said, hasPeers = false, acceptsLowParticipation = false } = this.#settings;
    if (said === undefined || said >= SAFE_PARTICIPATION || !hasPeers || acceptsLowParticipation || !this.#isFinalByRound) return;
    throw new Fault(
      'configuration',
      `required-participation is ${said / 100}: before block ${this.#parts.parameters.confirmationsFromBlock} of this chain both parts of a network that parts would be final soon, for good; leave it out, or say accept-low-participation; a stopped chain starts again without it`,
    );
  }

  #requireUnlocked(): void {
    const { chain, parameters, signer } = this.#parts;
    for (const witness of this.#producer.witnesses) {
      const key = chain.signingKeyOf(witness);
      const foreign = key !== undefined && signer.keys.has(key) ? signer.journal?.lockOf(parameters.chainId, key) : undefined;
      if (foreign !== undefined) throw new Fault('key_locked', this.#sentenceOf(foreign));
    }
  }

  #guardOf(): KeyGuard | undefined {
    const { signer, parameters, machineClock, log } = this.#parts;
    if (signer.journal === undefined) return undefined;
    const { allowStale, hasPeers = false, hasSeeds = false } = this.#settings;
    return new KeyGuard(
      {
        ...{ chain: parameters.chainId, intervalSeconds: parameters.blockIntervalSeconds, roundSlots: parameters.genesis.max_witnesses },
        ...{ keyPrefix: parameters.profile.keyPrefix, clock: machineClock, journal: signer.journal, keys: signer.keys },
        ...{ hasPeers, hasSeeds, allowStale },
        warn: (sentence) => log.warning(sentence),
      },
      this.#newestBlocks(),
    );
  }

  #standbyOf(): StandbyDuties | undefined {
    const { chain, machineClock: clock, parameters, log, signer, tell, send } = this.#parts;
    const { standby } = this.#settings;
    if (standby === undefined) return undefined;
    const [witness] = this.#settings.witnesses;
    const kept = new StandbyFile(standby.file);
    const hand = (node: string, packed: Uint8Array): void => tell({ kind: 'standby_switch', node, packed });
    return new StandbyDuties(standby, { chain, clock, parameters, log, signer, witness, kept, hand, send });
  }

  /** The newest block of each witness: a key in use now has signed no later one than that. */
  #newestBlocks(): SeenBlock[] {
    const { chain } = this.#parts;
    return [...this.#producer.witnesses].flatMap((witness) => {
      const number = Number(chain.committed.get(witnessTable, witness)?.last_confirmed_block_num ?? 0n);
      const block = number === 0 ? undefined : chain.block(number);
      return block === undefined ? [] : [{ ...block, signer: blockSigner(block) }];
    });
  }

  #alivesOf(): AliveRound {
    const { chain, machineClock: clock, parameters, signer, tell } = this.#parts;
    return new AliveRound({
      ...{
        chain: parameters.chainId,
        intervalSeconds: parameters.blockIntervalSeconds,
        clock,
        view: chain,
        producer: this.#producer,
        signer,
      },
      isHeldBack: (witness, signingKey) => {
        const timestamp = chain.headTime;
        return this.#isPaused || this.#guard?.heldBack({ kind: 'produce', witness, signingKey, timestamp }, timestamp) !== undefined;
      },
      signed: (alive) => tell({ kind: 'own_alive', alive }),
    });
  }

  #watchOf(): ProductionWatch {
    const { chain, parameters, log, history } = this.#parts;
    return new ProductionWatch({
      ...{ chain, history },
      producer: this.#producer,
      keyPrefix: parameters.profile.keyPrefix,
      countsSlots: this.#settings.everyMs === undefined,
      standsBy: (witness) => this.#standby?.standsBy(witness) === true,
      isBeingSigned: (timestamp) => this.#open?.slot.timestamp === timestamp,
      waitSeconds: (key: PublicKey) => this.#guard?.leftSeconds(key) ?? 0,
      warn: (sentence) => log.warning(sentence),
    });
  }

  #loopOf(): ProductionLoop {
    const { clock, machineClock, chain, log, guard } = this.#parts;
    const { allowStale, everyMs } = this.#settings;
    const jumps = new ClockJumps(machineClock, (sentence) => log.warning(sentence));
    return new ProductionLoop({
      ...{ clock, chain, producer: this.#producer, allowStale, everyMs },
      areEnoughAlive: () => this.#alives?.areEnough === true,
      produce: (slot, slotMs) => guard(() => this.#begin(slot, slotMs)),
      heldBack: (slot) => (this.#isPaused ? 'paused' : this.#guard?.heldBack(slot, chain.head.time)),
      passed: (reason) => log.debug(`no block: ${reason}`),
      looked: (look) => this.#watch.take(look),
      woke: () => {
        jumps.look();
        this.#guard?.look();
        this.#alives?.look();
        guard(() => this.#standby?.look());
        this.#tellProblems();
      },
    });
  }
}
