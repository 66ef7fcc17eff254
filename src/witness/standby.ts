import type { WriteLine } from '../base/log_events/index.ts';
import type { Clock } from '../base/clock.ts';
import { readKeySwitch, type KeySwitch } from '../blocks/key_switch.ts';
import type { VerifiedTransaction } from '../blocks/transaction.ts';
import { verifyTransaction } from '../blocks/verify.ts';
import { unlessRefused } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { Digest } from '../values/hash.ts';
import { MAX_SECONDS_UNTIL_EXPIRATION } from '../values/limits.ts';
import { publicKeyText, type PublicKey } from '../values/public_key.ts';
import { timeText, type Seconds } from '../values/time.ts';
import { MissedInARow, type MissesView } from './missed_in_a_row.ts';

/** The reasons why a standby would not take over now; the names are label values of a metric. */
type StandbyObstacle =
  | 'unknown_witness'
  | 'damaged_file'
  | 'key_used'
  | 'no_switch'
  | 'switch_expired'
  | 'behind'
  | 'no_blocks'
  | 'too_few_peers'
  | 'low_participation'
  | 'switched_lately';

/** Each as a sentence, with what to do about it. */
const standbySentences: Readonly<Record<StandbyObstacle, (witness: AccountName) => string>> = {
  unknown_witness: (witness) =>
    `this standby is of no use: the chain knows no witness ${witness}; mend the setting standby-for`,
  damaged_file: (witness) =>
    `this standby does not take over from witness ${witness}: its file is damaged, so it is not known whether its key was used and replaced; put the file back from a copy, or give the standby a new key and remove the file, and start the node again`,
  key_used: (witness) =>
    `this standby takes over no more: witness ${witness} has signed with its key already, and a replaced key is never used again; give the standby a new one, and name that at the active node`,
  no_switch: (witness) =>
    `this standby can't take over: witness ${witness} has given it no switch; connect with its node, and name there this node's id and key as standby-node`,
  switch_expired: (witness) =>
    `this standby can't take over: the switch of witness ${witness} has expired; its node gives a new one each 20 minutes while it is connected`,
  behind: (witness) => `this standby would not take over from witness ${witness} now: it is catching up`,
  no_blocks: (witness) => `this standby would not take over from witness ${witness} now: no new blocks come`,
  too_few_peers: (witness) =>
    `this standby would not take over from witness ${witness} now: too few peers have its head; three are needed besides the witness's own node, or all that are pinned`,
  low_participation: (witness) =>
    `this standby would not take over from witness ${witness} now: fewer than 67 % of the slots are filled, so this may be the smaller part of the network`,
  switched_lately: (witness) =>
    `this standby would not take over from witness ${witness} now: it was switched over less than an hour ago`,
};

/** The chain as a standby reads it. */
export interface StandbyView extends MissesView {
  readonly irreversible: number;
  /** Hundredths of a percent. */
  readonly participation: number;
  signingKeyOf(witness: AccountName): PublicKey | undefined;
}

/** A standby's memory across restarts. */
export interface KeptStandby {
  /** The newest switch, packed, in hex digits; '' for none. */
  readonly packed: string;
  /** The node that gave it: the one that is stood by for. */
  readonly from: string;
  /** The time of the chain when the witness was switched over last; 0 for never. */
  readonly switched: Seconds;
  /** The block from which on the witness has signed with our key; 0 for none. */
  readonly tookOverAt: number;
}

/** The node's agreement with others, as far as a standby needs it. */
export interface PeersInStep {
  /** Ids of peers whose head is ours, or near it. */
  readonly inStep: readonly string[];
  /** Others have blocks that this node hasn't. */
  readonly isBehind: boolean;
}

export interface StandbyOptions {
  readonly witness: AccountName;
  readonly chain: Digest;
  readonly intervalSeconds: number;
  readonly keyPrefix: string;
  readonly view: StandbyView;
  readonly clock: Clock;
  /** The keys of this node's own signer. */
  readonly keys: ReadonlySet<PublicKey>;
  /** Nodes that the operator has named. */
  readonly pinned: readonly string[];
  /** `damaged` where something was kept that can't be read. */
  readonly kept: KeptStandby | 'damaged' | undefined;
  readonly keep: (kept: KeptStandby) => void;
  /** Sends the switch to the network; why it is refused, undefined when it isn't. */
  readonly send: (transaction: VerifiedTransaction) => string | undefined;
  readonly warn: WriteLine<'warning'>;
  readonly note: WriteLine<'notice'>;
}

/** A standby's state for its operator. */
export interface StandbyReport {
  readonly witness: AccountName;
  /** When this node began to stand by. */
  readonly since: Seconds;
  /** It makes the witness's blocks. */
  readonly hasTakenOver: boolean;
  /** The obstacle of a takeover now; undefined for none. */
  readonly obstacle: StandbyObstacle | undefined;
  readonly advice: string;
  /** When the switch was signed, and when it ends; 0 when there is none. */
  readonly signed: Seconds;
  readonly expires: Seconds;
}

interface HeldSwitch {
  readonly terms: KeySwitch;
  readonly transaction: VerifiedTransaction;
  readonly from: string;
}

/** Two, because one is missed by every machine now and then. */
const MISSED_SLOTS = 2;
/** Fewer could be liars, or be cut off together with us. */
const SOURCES = 3;
/** Below it we may be in the smaller part of a parted network. */
const LEAST_PARTICIPATION = 6700;
/** A second switch within this time would help no more than the first. */
const SWITCH_EACH_SECONDS = 3600;
const STILL_SLOTS = 2;
/** A switch that is in no block by then is sent again. */
const AGAIN_AFTER_BLOCKS = 10;
const NOTHING: KeptStandby = { packed: '', from: '', switched: 0, tookOverAt: 0 };
const ALONE: PeersInStep = { inStep: [], isBehind: false };

/**
 * Takes over from a witness that has gone: it holds the switch that the witness has signed for this case, and sends it
 * when the witness misses its slots while the others go on. The chain is the lock: whose key it has makes the blocks.
 */
export class Standby {
  readonly #options: StandbyOptions;
  readonly #misses: MissedInARow;
  readonly #since: Seconds;
  readonly #isDamaged: boolean;
  #kept: KeptStandby;
  #held: HeldSwitch | undefined;
  /** One whose key the chain doesn't have: this node may be behind. */
  #early: HeldSwitch | undefined;
  #peers: PeersInStep = ALONE;
  #key: PublicKey | undefined;
  #head = { number: -1, movedMs: 0 };
  #sentAt: number | undefined;
  #told: StandbyObstacle | undefined | 'nothing' = 'nothing';

  constructor(options: StandbyOptions) {
    this.#options = options;
    const { view, witness, intervalSeconds, clock } = options;
    this.#isDamaged = options.kept === 'damaged';
    const kept = options.kept === 'damaged' ? NOTHING : (options.kept ?? NOTHING);
    this.#since = Math.trunc(clock.nowMs() / 1000);
    this.#misses = new MissedInARow(view, witness, intervalSeconds);
    this.#kept = kept;
    this.#key = view.signingKeyOf(witness);
    this.#held = kept.packed === '' ? undefined : this.#read(kept.from, Buffer.from(kept.packed, 'hex'));
  }

  get witness(): AccountName {
    return this.#options.witness;
  }

  /** True when the witness signs with a key of this node. */
  get hasTakenOver(): boolean {
    return this.#key !== undefined && this.#options.keys.has(this.#key);
  }

  takePeers(peers: PeersInStep): void {
    this.#peers = peers;
  }

  /** Somebody has sent a switch: whoever it is, it counts only when the witness has signed it for us. */
  take(from: string, packed: Uint8Array): void {
    const held = this.#read(from, packed);
    if (held === undefined) return;
    if (held.terms.key !== this.#options.view.signingKeyOf(this.witness)) this.#early = held;
    else this.#hold(held);
  }

  /** Must be called each second. */
  look(): void {
    const { view, clock } = this.#options;
    if (view.headNumber !== this.#head.number) this.#head = { number: view.headNumber, movedMs: clock.elapsedMs() };
    this.#misses.look();
    this.#followKey();
    if (this.#early !== undefined && this.#early.terms.key === this.#key) this.#hold(this.#early);
    const obstacle = this.#obstacle();
    this.#tell(obstacle);
    const isGone = this.#misses.count >= MISSED_SLOTS && this.#misses.isLongEnough;
    if (obstacle === undefined && !this.hasTakenOver && isGone) this.#takeOver();
  }

  report(): StandbyReport {
    const obstacle = this.#obstacle();
    const expires = this.#held?.terms.expiration ?? 0;
    const signed = expires === 0 ? 0 : expires - MAX_SECONDS_UNTIL_EXPIRATION;
    const { witness, hasTakenOver } = this;
    const advice = obstacle === undefined ? '' : standbySentences[obstacle](witness);
    return { witness, since: this.#since, hasTakenOver, obstacle, advice, signed, expires };
  }

  /** The chain says whose turn it is: a switch of ours, of another standby's, or of the operator's. */
  #followKey(): void {
    const { view, keys } = this.#options;
    const key = view.signingKeyOf(this.witness);
    if (key === this.#key) return this.#noteFinal();
    const isSwitch = this.#misses.count >= MISSED_SLOTS;
    this.#key = key;
    this.#misses.begin();
    this.#sentAt = undefined;
    const tookOverAt =
      key !== undefined && keys.has(key) && this.#kept.tookOverAt === 0 ? view.headNumber : this.#kept.tookOverAt;
    this.#keep({ ...this.#kept, tookOverAt, switched: isSwitch ? view.headTime : this.#kept.switched });
  }

  /** Forgets a takeover that was undone before it was final. */
  #noteFinal(): void {
    const { tookOverAt } = this.#kept;
    if (tookOverAt > this.#options.view.irreversible && !this.hasTakenOver)
      this.#keep({ ...this.#kept, tookOverAt: 0 });
  }

  #obstacle(): StandbyObstacle | undefined {
    const { view, keys, clock, intervalSeconds } = this.#options;
    if (this.#key === undefined) return 'unknown_witness';
    if (keys.has(this.#key)) return undefined;
    if (this.#isDamaged) return 'damaged_file';
    const { tookOverAt, switched } = this.#kept;
    if (tookOverAt > 0 && tookOverAt <= view.irreversible) return 'key_used';
    if (this.#held === undefined || this.#held.terms.key !== this.#key) return 'no_switch';
    if (this.#held.terms.expiration <= view.headTime + STILL_SLOTS * intervalSeconds) return 'switch_expired';
    if (this.#peers.isBehind) return 'behind';
    if (clock.elapsedMs() - this.#head.movedMs > STILL_SLOTS * intervalSeconds * 1000) return 'no_blocks';
    if (!this.#hasSources()) return 'too_few_peers';
    if (view.participation < LEAST_PARTICIPATION || !this.#misses.doOthersGoOn) return 'low_participation';
    if (switched > 0 && view.headTime - switched < SWITCH_EACH_SECONDS && this.#sentAt === undefined)
      return 'switched_lately';
    return undefined;
  }

  /** The one that is stood by for is no witness of its own absence. */
  #hasSources(): boolean {
    const { pinned } = this.#options;
    const { inStep } = this.#peers;
    const others = inStep.filter((id) => id !== this.#kept.from);
    const named = pinned.filter((id) => id !== this.#kept.from);
    return named.length > 0 && named.length < SOURCES
      ? named.every((id) => others.includes(id))
      : others.length >= SOURCES;
  }

  #takeOver(): void {
    const { view, send, warn } = this.#options;
    if (this.#held === undefined) return;
    if (this.#sentAt !== undefined && view.headNumber - this.#sentAt < AGAIN_AFTER_BLOCKS) return;
    if (this.#sentAt === undefined)
      warn(
        `witness ${this.witness} has missed ${this.#misses.count} slots in a row: this standby takes over`,
        'standby_takes_over',
        {
          ...{ witness: this.witness, missed: this.#misses.count },
        },
      );
    this.#sentAt = view.headNumber;
    this.#keep({ ...this.#kept, switched: view.headTime });
    const refused = send(this.#held.transaction);
    if (refused !== undefined)
      warn(`the switch of witness ${this.witness} is refused: ${refused}`, 'switch_refused', { witness: this.witness });
  }

  #hold(held: HeldSwitch): void {
    this.#early = undefined;
    const isNewer = held.terms.key !== this.#held?.terms.key || held.terms.expiration > this.#held.terms.expiration;
    if (!isNewer) return;
    this.#held = held;
    this.#keep({ ...this.#kept, packed: Buffer.from(held.transaction.packed).toString('hex'), from: held.from });
  }

  /**
   * Undefined unless the key that the switch names has signed it, for our witness and one of our keys, and there is
   * time left.
   */
  #read(from: string, bytes: Uint8Array): HeldSwitch | undefined {
    const { chain, keys, view } = this.#options;
    const found = unlessRefused(() => readKeySwitch(bytes));
    if (found === undefined) return undefined;
    const { terms, packed } = found;
    if (terms.owner !== this.witness || !keys.has(terms.newKey) || terms.expiration <= view.headTime) return undefined;
    const transaction = verifyTransaction(chain, packed);
    return transaction.signers[0] === terms.key ? { terms, transaction, from } : undefined;
  }

  #keep(kept: KeptStandby): void {
    this.#kept = kept;
    // A damaged file stays as it is: the operator may still mend it.
    if (!this.#isDamaged) this.#options.keep(kept);
  }

  /** Each new reason once. */
  #tell(obstacle: StandbyObstacle | undefined): void {
    if (obstacle === this.#told) return;
    this.#told = obstacle;
    const { warn, note, keyPrefix } = this.#options;
    const { witness } = this;
    if (obstacle !== undefined)
      return warn(standbySentences[obstacle](witness), 'standby_hindered', { witness, obstacle });
    const { terms: { newKey, expiration } = {} } = this.#held ?? {};
    if (!this.hasTakenOver && newKey !== undefined)
      note(
        `standing by for witness ${witness} with ${publicKeyText(newKey, keyPrefix)}; the switch is good until ${timeText(expiration ?? 0)}`,
        'standby_ready',
        { witness, key: publicKeyText(newKey, keyPrefix) },
      );
  }
}
