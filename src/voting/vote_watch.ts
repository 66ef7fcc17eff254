import type { Vote } from '../blocks/finality/vote.ts';
import { type Voters, quorumSize } from '../blocks/finality/voters.ts';
import type { AccountName } from '../values/account_name.ts';
import { type PublicKey, publicKeyText } from '../values/public_key.ts';
import { timeText } from '../values/time.ts';
import type { VoterDescription } from '../rpc/services.ts';

/** A minute of usual slots: a partition that heals, and a restart, end sooner. */
const STALLED_SLOTS = 20;
/** A voter whose last vote is older is missing. */
const MISSING_SLOTS = 10;
/** A vote that comes later is missed: nothing waits for it any more. */
const LATE_SLOTS = 2;
const MOST_NAMED = 8;

/** The time and the round of a look at the votes. */
export interface VoteWatchParts {
  readonly intervalSeconds: number;
  readonly keyPrefix: string;
  readonly slot: number;
  /** The signers of the present round, with their keys. */
  readonly signers: () => readonly { readonly witness: AccountName; readonly key: PublicKey }[];
}

/** A slot as a voter sees it. */
export interface EndedSlot {
  readonly slot: number;
  readonly voters: Voters;
  /** True when it had a block, or one before it was not final: then each voter votes. */
  readonly isVotedIn: boolean;
  /** Blocks are missing here: what voters do can't be judged. */
  readonly isBehind: boolean;
}

/** The state of finality, for the report of a standstill. */
export interface FinalStanding {
  readonly number: number;
  /** The slot of the last final block; undefined where no certificate proves it. */
  readonly slot: number | undefined;
  readonly voters: Voters;
}

interface View {
  readonly heard: Set<PublicKey>;
  /** The voters of the round; undefined as long as there are none. */
  voters?: Voters | undefined;
}

interface Counts {
  cast: number;
  missed: number;
}

/** Watches who votes, and the age of blocks that are not final. */
export class VoteWatch {
  readonly #parts: Omit<VoteWatchParts, 'slot'>;
  readonly #startSlot: number;
  /** Those of the last ten slots. */
  readonly #views = new Map<number, View>();
  /** Of the voters of the running epoch. */
  readonly #counts = new Map<PublicKey, Counts>();
  /** Of the same, also while the key is replaced on the chain. */
  readonly #names = new Map<PublicKey, AccountName>();
  /** The slot in which a block became final last, or this node had all blocks again. */
  #movedSlot: number;
  /** The first slot that the watch sees from its beginning. */
  #firstSlot: number;
  #endedSlot: number;
  #isStalled = false;
  #stalls = 0;
  #warned: string | undefined;

  constructor({ slot, ...parts }: VoteWatchParts) {
    this.#parts = parts;
    this.#startSlot = slot;
    this.#movedSlot = slot;
    this.#firstSlot = slot + 1;
    this.#endedSlot = slot;
  }

  /** The number of standstills of twenty slots without a final block, since the node has started. */
  get stalls(): number {
    return this.#stalls;
  }

  /** A verified vote, also of this node. */
  take({ subject, voter }: Vote, voters: Voters | undefined): void {
    const key = voters?.digest === subject.voters ? voters.keys[voter] : undefined;
    if (key === undefined || subject.view < this.#endedSlot - MISSING_SLOTS) return;
    const { heard } = this.#getView(subject.view);
    if (heard.has(key)) return;
    heard.add(key);
    this.#getCounts(key).cast++;
  }

  /** Blocks became final in that slot. */
  finalised(slot: number): void {
    this.#movedSlot = Math.max(this.#movedSlot, slot);
    this.#isStalled = false;
  }

  /** A slot is over: the votes of an earlier one have come or are missed. */
  slotEnded({ slot, voters, isVotedIn, isBehind }: EndedSlot): void {
    const hasJumped = slot > this.#endedSlot + 1;
    // While this process stood still or had no blocks, votes went by that nobody has missed.
    if (isBehind || hasJumped) this.#firstSlot = slot + 1;
    if (isBehind) this.#movedSlot = slot;
    this.#endedSlot = slot;
    if (isVotedIn && slot >= this.#firstSlot) this.#getView(slot).voters = voters;
    this.#nameAll(voters);
    this.#countMissed(slot - LATE_SLOTS);
    for (const view of this.#views.keys()) if (view < slot - MISSING_SLOTS) this.#views.delete(view);
    for (const known of [this.#counts, this.#names])
      for (const key of known.keys()) if (!voters.keys.includes(key)) known.delete(key);
    if (!this.#isStalled && this.stalledSlots(slot) > 0) this.#stalls++;
    this.#isStalled = this.stalledSlots(slot) > 0;
  }

  /** Voters from whom no vote has come for ten slots; none before this node has seen so many. */
  missing(voters: Voters, slot: number): readonly PublicKey[] {
    if (slot < this.#startSlot + MISSING_SLOTS) return [];
    const heard = [...this.#views].filter(([view]) => view >= slot - MISSING_SLOTS).map(([, { heard: keys }]) => keys);
    return voters.keys.filter((key) => !heard.some((keys) => keys.has(key)));
  }

  /** Each voter with its votes since the node has started, or since the voter came. */
  voters(voters: Voters, slot: number): readonly VoterDescription[] {
    const missing = new Set(this.missing(voters, slot));
    return voters.keys.map((key) => {
      const { cast, missed } = this.#counts.get(key) ?? { cast: 0, missed: 0 };
      return { key, witness: this.findWitness(key) ?? '', cast, missed, isMissing: missing.has(key) };
    });
  }

  /** The witness of a voter, as far as it was known since the node has started. */
  findWitness(key: PublicKey): AccountName | undefined {
    return this.#names.get(key);
  }

  /** For how many slots no block has become final; 0 unless these are too many. */
  stalledSlots(slot: number): number {
    const slots = slot - this.#movedSlot;
    return slots > STALLED_SLOTS ? slots : 0;
  }

  /** Since when no block has become final, in seconds since 1970; undefined unless that is too long. */
  stalledSince(slot: number, finalSlot: number | undefined): number | undefined {
    if (this.stalledSlots(slot) === 0) return undefined;
    return (finalSlot ?? this.#movedSlot) * this.#parts.intervalSeconds;
  }

  /** Describes a standstill for an operator: since when no block becomes final, and whose votes are missing. */
  problem({ number, slot: finalSlot, voters }: FinalStanding, slot: number): string | undefined {
    const since = this.stalledSince(slot, finalSlot);
    if (since === undefined) return undefined;
    const missing = this.missing(voters, slot);
    const quorum = quorumSize(voters);
    const count = voters.keys.length - missing.length;
    const whose =
      missing.length === 0
        ? 'every voter is heard, so the network may have parted until now'
        : `missing are ${this.namesText(missing)}`;
    return `finality stands still: no block behind ${number} has become final since ${timeText(since)}; of ${voters.keys.length} voters ${count} have voted in the last ${MISSING_SLOTS} slots, and ${quorum} are needed; ${whose}; see the guide "Finality stands still"`;
  }

  /** The problem, if it was not answered by the last call. */
  newProblem(problem: string | undefined): string | undefined {
    const [before, about] = [this.#warned, problem?.split(';')[0]];
    this.#warned = about;
    return about === before ? undefined : problem;
  }

  /** The first of these voters by name, or by key where the name is not known. */
  names(keys: readonly PublicKey[]): readonly string[] {
    const { keyPrefix } = this.#parts;
    const named = keys.slice(0, MOST_NAMED).map((key) => this.findWitness(key) ?? publicKeyText(key, keyPrefix));
    return keys.length > MOST_NAMED ? [...named, `${keys.length - MOST_NAMED} more`] : named;
  }

  /** The same as a text. */
  namesText(keys: readonly PublicKey[]): string {
    const names = this.names(keys);
    return keys.length > MOST_NAMED ? `${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : names.join(', ');
  }

  #getView(view: number): View {
    const found = this.#views.get(view) ?? { heard: new Set() };
    this.#views.set(view, found);
    return found;
  }

  #getCounts(key: PublicKey): Counts {
    const counts = this.#counts.get(key) ?? { cast: 0, missed: 0 };
    this.#counts.set(key, counts);
    return counts;
  }

  #countMissed(last: number): void {
    for (const [view, entry] of this.#views) {
      if (view > last || entry.voters === undefined) continue;
      if (view >= this.#firstSlot)
        for (const key of entry.voters.keys) if (!entry.heard.has(key)) this.#getCounts(key).missed++;
      entry.voters = undefined;
    }
  }

  /** Asked while the keys still sign blocks: once one is replaced, nothing on the chain tells whose it was. */
  #nameAll({ keys }: Voters): void {
    if (keys.every((key) => this.#names.has(key))) return;
    for (const { witness, key } of this.#parts.signers())
      if (keys.includes(key) && !this.#names.has(key)) this.#names.set(key, witness);
  }
}
