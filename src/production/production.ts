import type { ProductionReport, SeenInStep, StandbyReports, ProductionUpdate } from './reports.ts';
import type { Alive } from '../blocks/alive.ts';
import type { PublicKey } from '../values/public_key.ts';
import { HeartbeatRound } from '../witness/heartbeat_round.ts';
import { type KeyGuard, type PeersSeen, type SeenBlock, foreignSentence } from '../witness/key_guard.ts';
import type { ForeignBlock } from '../witness/signing_journal.ts';
import { findNextSlots } from '../witness/next_slots.ts';
import { ProductionLoop } from '../witness/production_loop.ts';
import { ProductionWatch, type WitnessFigures } from '../witness/production_watch.ts';
import { RestartableProducer } from '../witness/restartable_producer.ts';
import { usualParticipation, SAFE_PARTICIPATION } from '../witness/required_participation.ts';
import { StandbyFile } from '../witness/signing/standby_file.ts';
import { ClockJumps } from './clock_jumps.ts';
import { DebugCommands } from './debug_commands.ts';
import { EveryWitness } from './every_witness.ts';
import { OwnBlocks } from './own_blocks.ts';
import { makeKeyGuard } from './own_key_guard.ts';
import { ProductionProblems } from './production_problems.ts';
import { StandbyDuties } from './standby_duties.ts';
import type { ProductionSettings } from '../settings/production_settings.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import type { Chain } from '../chain/chain.ts';
import type { ChainParameters } from '../state/parameters.ts';
import type { BlockSigner } from '../witness/block_signer.ts';
import type { SlotHistory } from '../witness/slot_history.ts';
import type { MovableClock } from './movable_clock.ts';
import { Fault } from '../base/fault.ts';
import type { AccountName } from '../values/account_name.ts';

/** Makes this node's blocks: what it knows of slots, keys and the operator's wishes comes together here. */
export class Production {
  readonly #parts: ProductionParts;
  readonly #settings: ProductionSettings;
  readonly #producer: RestartableProducer;
  readonly #guard: KeyGuard | undefined;
  /** Undefined where there is nobody to hear of it, and where no slot is missed. */
  readonly #heartbeats: HeartbeatRound | undefined;
  readonly #standby: StandbyDuties | undefined;
  readonly #watch: ProductionWatch;
  readonly #loop: ProductionLoop;
  readonly #blocks: OwnBlocks;
  readonly #problems: ProductionProblems;
  #isPaused = false;

  /** Fault `key_locked` when somebody else was seen to sign with a key in use. */
  constructor(settings: ProductionSettings, parts: ProductionParts) {
    this.#parts = parts;
    this.#problems = new ProductionProblems(parts.parameters, parts.tell);
    this.#settings = settings;
    const { chain, signer, parameters, machineClock: clock, log } = parts;
    this.#producer = new RestartableProducer({
      ...{
        witnesses: settings.everyWitness === true ? new EveryWitness(chain, signer.keys) : new Set(settings.witnesses),
        keys: signer.keys,
      },
      usualParticipation: () => settings.requiredParticipation ?? usualParticipation(isFinalByRound(chain, parameters)),
      headNumber: () => chain.head.number,
    });
    const { witnesses } = this.#producer;
    requireSafeParticipation(settings, chain, parameters);
    requireUnlocked(witnesses, signer, chain, parameters);
    const { allowStale, hasPeers = false, hasSeeds = false } = settings;
    this.#guard = makeKeyGuard(
      { chain, parameters, clock, signer, log, witnesses },
      { allowStale, hasPeers, hasSeeds },
    );
    this.#blocks = new OwnBlocks({ ...parts, countsSlots: this.#countsSlots });
    this.#heartbeats = hasPeers && this.#countsSlots ? this.#makeHeartbeats() : undefined;
    this.#standby = this.#standbyOf();
    this.#watch = this.#makeWatch();
    this.#loop = this.#makeLoop();
  }

  /** True if the block being applied is this node's own. */
  get isProducing(): boolean {
    return this.#blocks.isAdopting;
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
    return this.#blocks.refusedSignatures;
  }

  /** The reports of this node's standbys, and its own readiness as one. */
  get standby(): StandbyReports {
    return this.#standby?.report() ?? { standby: undefined, offers: [] };
  }

  start(): void {
    if ((this.#settings.mining ?? 'interval') === 'interval') this.#loop.start();
    this.#tellProblems();
  }

  stop(): void {
    this.#loop.stop();
    this.#blocks.drop();
  }

  close(): void {
    this.stop();
    this.#parts.signer.close();
  }

  /** Takes the node's knowledge of its peers, each second. */
  takePeers(seen: PeersSeen & SeenInStep): void {
    this.#guard?.takePeers(seen);
    this.#standby?.takePeers(seen);
  }

  /** Somebody else votes with a key of this node: it signs nothing any more. */
  lock(foreign: ForeignBlock): void {
    this.#guard?.stop(foreign);
    this.#tellProblems();
  }

  /** A witness is there, by its signature. */
  takeAlive(alive: Alive): void {
    this.#heartbeats?.take(alive);
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
    if (this.isProducing) this.#blocks.noteCommitted();
    else this.#guard?.headMoved(this.#parts.chain.head.time);
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
    this.#parts.log.warning(
      `the chain is restarted: participation is no reason to make no block until block ${until}`,
      'chain_restarted',
      {
        until_block: until,
      },
    );
    return until;
  }

  /** For the operator. */
  report(): ProductionReport {
    const nextSlots = findNextSlots(this.#parts.chain, this.#producer, this.#parts.machineClock);
    return {
      isPaused: this.#isPaused,
      witnesses: this.#watch.witnesses.map((each) =>
        Object.assign(each, { nextSlot: nextSlots.get(each.witness) ?? 0 }),
      ),
      ...this.standby,
    };
  }

  /** The orders of users of a development chain. */
  debugCommands(): DebugCommands {
    const { chain, clock, parameters } = this.#parts;
    return new DebugCommands({
      ...{
        chain,
        chainId: parameters.chainId,
        clock,
        producer: this.#producer,
        mining: this.#settings.mining ?? 'interval',
      },
      goesOnFromHead: this.#settings.goesOnFromHead === true,
      produce: (slot) => this.#blocks.begin(slot),
      mineInSlots: (isOn) => (isOn ? this.#loop.start() : this.#loop.stop()),
    });
  }

  /** At a block rate of this node's own, and where it owns its time, no slot is over. */
  get #countsSlots(): boolean {
    return this.#settings.everyMs === undefined && !this.#settings.ownTime;
  }

  /** For `/health`. */
  #tellProblems(): void {
    this.#problems.tell(this.#guard?.foreign ?? [], this.#standby?.problems ?? []);
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

  #makeHeartbeats(): HeartbeatRound {
    const { chain, machineClock: clock, parameters, signer, tell } = this.#parts;
    return new HeartbeatRound({
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
        return (
          this.#isPaused ||
          this.#guard?.heldBack({ kind: 'produce', witness, signingKey, timestamp }, timestamp) !== undefined
        );
      },
      signed: (alive) => tell({ kind: 'own_alive', alive }),
    });
  }

  #makeWatch(): ProductionWatch {
    const { chain, parameters, log, history } = this.#parts;
    return new ProductionWatch({
      ...{ chain, history },
      producer: this.#producer,
      keyPrefix: parameters.profile.keyPrefix,
      countsSlots: this.#settings.everyMs === undefined,
      standsBy: (witness) => this.#standby?.isStandby(witness) === true,
      isBeingSigned: (timestamp) => this.#blocks.isBeingSigned(timestamp),
      hasVote: this.#parts.hasVote,
      waitSeconds: (key: PublicKey) => this.#guard?.leftSeconds(key) ?? 0,
      warn: log.warning,
    });
  }

  #makeLoop(): ProductionLoop {
    const { clock, machineClock, chain, log, guard } = this.#parts;
    const { allowStale, everyMs } = this.#settings;
    const jumps = new ClockJumps(machineClock, log.warning);
    return new ProductionLoop({
      ...{ clock, chain, producer: this.#producer, allowStale, everyMs },
      areEnoughAlive: () => this.#heartbeats?.areEnough === true,
      produce: (slot, slotMs) => guard(() => this.#blocks.begin(slot, slotMs)),
      heldBack: (slot) => (this.#isPaused ? 'paused' : this.#guard?.heldBack(slot, chain.head.time)),
      passed: (reason) => log.debug(`no block: ${reason}`, 'slot_passed', {}),
      looked: (look) => this.#watch.take(look),
      woke: () => {
        jumps.look();
        this.#parts.wokeBeforeSlot();
        this.#guard?.look();
        this.#heartbeats?.look();
        guard(() => this.#standby?.look());
        this.#tellProblems();
      },
    });
  }
}

/** The parts of production. */
interface ProductionParts {
  readonly chain: Chain;
  /** The chain's time; `machineClock` is the machine's. */
  readonly clock: MovableClock;
  readonly machineClock: Clock;
  readonly parameters: ChainParameters;
  readonly log: Log;
  readonly signer: BlockSigner;
  readonly history: SlotHistory;
  /** A slot may begin, and a block be made in it: the branch is chosen before. */
  readonly wokeBeforeSlot: () => void;
  /** True when a key votes in the epoch that has begun, whether or not it signs blocks. */
  readonly hasVote: (key: PublicKey) => boolean;
  readonly tell: (message: ProductionUpdate) => void;
  /** Sends a transaction to the network; why it is refused, undefined when it isn't. */
  readonly send: (transaction: VerifiedTransaction) => string | undefined;
  /** Ends the writer when `run` throws what is no refusal. */
  readonly guard: (run: () => void) => void;
}

/** Without votes, blocks are final a round later until witnesses are counted. */
function isFinalByRound(chain: Chain, { confirmationsFromBlock, hasFinality }: ChainParameters): boolean {
  return !hasFinality && chain.head.number < confirmationsFromBlock;
}

/** Fault `configuration` where the required participation would let both parts of a parted network become final. */
function requireSafeParticipation(settings: ProductionSettings, chain: Chain, parameters: ChainParameters): void {
  const { requiredParticipation: said, hasPeers = false, acceptsLowParticipation = false } = settings;
  if (said === undefined || said >= SAFE_PARTICIPATION || !hasPeers || acceptsLowParticipation) return;
  if (!isFinalByRound(chain, parameters)) return;
  throw new Fault(
    'configuration',
    `required-participation is ${said / 100}: before block ${parameters.confirmationsFromBlock} of this chain both parts of a network that parts would be final soon, for good; leave it out, or say accept-low-participation; a stopped chain starts again without it`,
  );
}

/** Fault `key_locked` when somebody else was seen to sign with the key of one of these witnesses. */
function requireUnlocked(
  witnesses: Iterable<AccountName>,
  signer: BlockSigner,
  chain: Chain,
  parameters: ChainParameters,
): void {
  const { chainId, profile, blockIntervalSeconds } = parameters;
  for (const witness of witnesses) {
    const key = chain.signingKeyOf(witness);
    const foreign = key !== undefined && signer.keys.has(key) ? signer.journal?.foreignLock(chainId, key) : undefined;
    if (foreign !== undefined)
      throw new Fault('key_locked', foreignSentence(foreign, profile.keyPrefix, blockIntervalSeconds));
  }
}
