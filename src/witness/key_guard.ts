import type { WriteLine } from '../base/log_events/index.ts';
import type { Clock } from '../base/clock.ts';
import { headerDigest, type BlockHeader } from '../blocks/header.ts';
import type { BlockId, Digest } from '../values/hash.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';
import { slotNumber, timeText, type Seconds } from '../values/time.ts';
import type { HeldBack, ProductionSlot } from './produce.ts';
import { RoundWait } from './round_wait.ts';
import type { ForeignBlock, LockableSlots } from './signing_journal.ts';

/** A block and who has signed it. */
export interface SeenBlock {
  readonly id: BlockId;
  readonly header: BlockHeader;
  readonly signer: PublicKey | undefined;
}

/** The node's facts about its peers. */
export interface PeersSeen {
  /**
   * Address groups that this node has dialled, and nodes that its operator has named: strangers that came by themselves
   * don't count.
   */
  readonly peers: number;
  /** By how much their clocks are ahead, in the middle; undefined when nobody says. */
  readonly clockAheadMs: number | undefined;
  /** Blocks are missing here, or those that count contradict this node's chain. */
  readonly isBehind: boolean;
}

export interface KeyGuardOptions {
  readonly chain: Digest;
  readonly intervalSeconds: number;
  readonly roundSlots: number;
  readonly keyPrefix: string;
  readonly clock: Clock;
  readonly journal: LockableSlots;
  readonly keys: ReadonlySet<PublicKey>;
  /** True when the node has peers at all: otherwise nobody can be watched or asked. */
  readonly hasPeers: boolean;
  /** True when it has somebody to dial, and so need not begin alone. */
  readonly hasSeeds: boolean;
  /** The operator wants blocks although nobody is there to confirm the clock. */
  readonly allowStale: boolean;
  readonly warn: WriteLine<'warning'>;
}

/**
 * A later slot is signed only when peers confirm the clock: a wrong one would lock the journal until that time comes.
 */
const UNCONFIRMED_SECONDS = 60;
const CLOCK_AGREES_MS = 2000;
/**
 * Nodes that start together find each other sooner: only then does an operator's word stand for clocks that nobody
 * tells.
 */
const UNANSWERED_MS = 60_000;
/**
 * The loop wakes each second: a process that has slept longer has seen nothing meanwhile, and what it knew of its peers
 * is old.
 */
const STOOD_STILL_MS = 10_000;
const ALONE: PeersSeen = { peers: 0, clockAheadMs: undefined, isBehind: false };

/**
 * Keeps a key from signing what another machine with the same key may sign: it watches a round first where the journal
 * can't tell or the process stood still, and stops until its operator unlocks the key when a block is seen that the
 * journal doesn't know.
 */
export class KeyGuard {
  readonly #options: KeyGuardOptions;
  readonly #startSlot: number;
  /** Of keys that their operator has unlocked since: what was signed before is settled. */
  readonly #unlockedSlots = new Map<PublicKey, number>();
  readonly #waits = new Map<PublicKey, RoundWait>();
  /** Keys whose wait is over: what was signed before the start is no reason for another one. */
  readonly #watched = new Set<PublicKey>();
  readonly #foreign = new Map<PublicKey, ForeignBlock>();
  #seen: PeersSeen = ALONE;
  /** Since when nobody that counts is there. */
  #aloneSinceMs: number;
  #lookedMs: number;

  /** `newest` are the newest blocks on the chain of this node's witnesses. */
  constructor(options: KeyGuardOptions, newest: readonly SeenBlock[]) {
    this.#options = options;
    const { clock, keys, chain, journal, hasPeers, warn } = options;
    this.#startSlot = this.#slotNow;
    this.#lookedMs = clock.elapsedMs();
    this.#aloneSinceMs = this.#lookedMs;
    for (const key of keys) {
      const locked = journal.foreignLock(chain, key);
      if (locked !== undefined) this.#foreign.set(key, locked);
      if (journal.isDamaged) this.#watch(key, 'the signing journal is damaged');
    }
    for (const block of newest) this.take(block);
    if (!hasPeers)
      warn(
        'this witness has no peers: nobody confirms the clock of this machine, and nobody would see a second one with its key',
        'key_unwatched',
        {},
      );
  }

  /** Blocks that somebody else has signed with a key of this node. */
  get foreign(): readonly ForeignBlock[] {
    return [...this.#foreign.values()];
  }

  /** Takes the facts about peers, each second. */
  takePeers(seen: PeersSeen): void {
    this.#seen = seen;
    if (seen.peers > 0) this.#aloneSinceMs = this.#options.clock.elapsedMs();
  }

  /**
   * Looks at each block that comes, of whichever branch, whatever becomes of it: its signature alone tells who else has
   * the key.
   */
  take({ id, header, signer }: SeenBlock): void {
    const { keys, journal, chain, intervalSeconds } = this.#options;
    if (signer === undefined || !keys.has(signer)) return;
    this.#noteUnlocked();
    const slot = slotNumber(header.timestamp, intervalSeconds);
    const digest = Buffer.from(headerDigest(header)).toString('hex');
    if (journal.signedDigest(chain, signer, slot) === digest) return;
    if (slot > (this.#unlockedSlots.get(signer) ?? this.#startSlot))
      this.stop({ chain, key: signer, slot, digest, id });
    else if (slot > (journal.lastSlot(chain, signer) ?? -1))
      this.#watch(signer, 'the signing journal is missing or older than the chain');
  }

  /** Somebody else signs with a key of this node. */
  stop(foreign: ForeignBlock): void {
    const { journal, keyPrefix, intervalSeconds, warn } = this.#options;
    // A signature since the unlocking locks the key again.
    this.#noteUnlocked();
    if (this.#foreign.has(foreign.key)) return;
    this.#foreign.set(foreign.key, foreign);
    warn(foreignSentence(foreign, keyPrefix, intervalSeconds), 'key_used_elsewhere', {
      key: publicKeyText(foreign.key, keyPrefix),
    });
    journal.lock(foreign);
  }

  /** A block of somebody else has become the head. */
  headMoved(headTime: Seconds): void {
    const { clock, intervalSeconds } = this.#options;
    const isNew = clock.nowMs() / 1000 - headTime <= 2 * intervalSeconds;
    for (const wait of this.#waits.values()) wait.blockCame(clock.elapsedMs(), isNew);
  }

  /** Must be called each second. */
  look(): void {
    const nowMs = this.#options.clock.elapsedMs();
    const passedMs = nowMs - this.#lookedMs;
    this.#lookedMs = nowMs;
    if (passedMs > STOOD_STILL_MS) this.#wake(passedMs);
    this.#noteUnlocked();
    for (const [key, wait] of this.#waits) {
      wait.look(nowMs, this.#seen.peers > 0 || this.#isMeantAlone);
      if (!wait.isOver) continue;
      this.#waits.delete(key);
      this.#watched.add(key);
    }
  }

  /** Returns the reason not to sign one of our slots now. */
  heldBack({ signingKey, timestamp }: ProductionSlot, headTime: Seconds): HeldBack | undefined {
    if (this.#foreign.has(signingKey)) return 'foreign';
    if (this.#waits.has(signingKey)) return 'watching';
    if (timestamp - headTime <= UNCONFIRMED_SECONDS) return undefined;
    if (this.#seen.isBehind) return 'not_synced';
    return this.#isClockConfirmed() ? undefined : 'clock_unconfirmed';
  }

  /** Returns the rest of a key's wait. */
  leftSeconds(key: PublicKey): number {
    return this.#waits.get(key)?.leftSeconds ?? 0;
  }

  /** As after a start: whoever has signed before is settled, and whoever still does shows within a round. */
  #noteUnlocked(): void {
    const { chain, journal } = this.#options;
    for (const key of this.#foreign.keys()) {
      if (journal.foreignLock(chain, key) !== undefined) continue;
      this.#foreign.delete(key);
      this.#unlockedSlots.set(key, this.#slotNow);
      this.#watched.delete(key);
      this.#watch(key, 'the key is unlocked');
    }
  }

  get #slotNow(): number {
    const { clock, intervalSeconds } = this.#options;
    return slotNumber(clock.nowMs() / 1000, intervalSeconds);
  }

  /** Meanwhile another machine may have been given the key, and its blocks may still wait to be read. */
  #wake(passedMs: number): void {
    this.#seen = ALONE;
    this.#aloneSinceMs = this.#options.clock.elapsedMs();
    this.#watched.clear();
    const why = `this process stood still for ${Math.round(passedMs / 1000)} seconds`;
    for (const key of this.#options.keys) this.#watch(key, why);
  }

  /** The operator wants blocks of a node that has nobody to ask. */
  get #isMeantAlone(): boolean {
    const { hasSeeds, allowStale } = this.#options;
    return this.#seen.peers === 0 && allowStale && !hasSeeds;
  }

  /** The operator wants blocks, and of those that the node was to ask nobody has answered for a minute. */
  get #isLeftAlone(): boolean {
    const { allowStale, clock } = this.#options;
    return allowStale && this.#seen.peers === 0 && clock.elapsedMs() - this.#aloneSinceMs >= UNANSWERED_MS;
  }

  #isClockConfirmed(): boolean {
    if (!this.#options.hasPeers || this.#isMeantAlone || this.#isLeftAlone) return true;
    const { clockAheadMs } = this.#seen;
    return clockAheadMs !== undefined && Math.abs(clockAheadMs) <= CLOCK_AGREES_MS;
  }

  #watch(key: PublicKey, why: string): void {
    const { clock, roundSlots, intervalSeconds, keyPrefix, hasPeers, warn } = this.#options;
    if (!hasPeers || this.#waits.has(key) || this.#watched.has(key)) return;
    const roundMs = roundSlots * intervalSeconds * 1000;
    this.#waits.set(key, new RoundWait({ nowMs: clock.elapsedMs(), roundMs }));
    warn(
      `${why}: nothing is signed with ${publicKeyText(key, keyPrefix)} until a round of others' blocks, ${roundMs / 1000} seconds, has shown none of that key`,
      'key_waits',
      { key: publicKeyText(key, keyPrefix), seconds: roundMs / 1000 },
    );
  }
}

/** Describes a foreign block, or a block that a foreign vote is for, to an operator. */
export function foreignSentence({ key, slot, id }: ForeignBlock, keyPrefix: string, intervalSeconds: number): string {
  return `another machine signs with ${publicKeyText(key, keyPrefix)}: its signature or vote for block ${id} in the slot of ${timeText(slot * intervalSeconds)} is in no journal of this node, which neither makes blocks nor votes with that key any more; give the witness a new key, or stop the other machine and run pharos witness unlock`;
}
