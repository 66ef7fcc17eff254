import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { ChainParameters } from './parameters.ts';

/**
 * The number of voters whose votes one operation may move: those of payer, sender and receiver, or of an account and
 * its old and new proxies.
 */
const VOTERS_OF_AN_OPERATION = 5;
/** This many voters may each have the maximum number of votes; with fewer votes each, there is room for more voters. */
const VOTERS = 60;
/**
 * A member of an authority takes at least 31 bytes; with 4 there is room for four accounts with two authorities of
 * maximum size.
 */
const BYTES_A_MEMBER = 4;

const refuse = refusals({
  too_many_votes_moved: 'the transaction moves the votes of more than {most} witnesses; send its operations one by one',
  too_many_voters_moved:
    'the transaction looks at more than {most} votes of the accounts that it changes; send its operations one by one',
  authorities_too_large:
    'the authorities of the accounts that the transaction updates have more than {most} members; send its operations one by one',
});

/** Refusals of a transaction with too many consequences. */
export const consequenceRefusals = refuse.texts;

/** Limits on the effects of one transaction. */
export interface ConsequenceLimits {
  /** Number of witnesses whose votes change. */
  readonly witnesses: number;
  /** Number of votes read to find these witnesses. */
  readonly votes: number;
  /** Number of members in the authorities of updated accounts: each may be a key to be removed from the index. */
  readonly members: number;
}

const UNLIMITED: ConsequenceLimits = { witnesses: Infinity, votes: Infinity, members: Infinity };

/**
 * Enough for any single operation, but no more than the most that 8 KiB can cause: about 20 ms of work for each limit.
 */
export function consequenceLimits({ genesis }: Pick<ChainParameters, 'genesis'>): ConsequenceLimits {
  const { max_account_witness_votes: votesOfAccount, max_transaction_size } = genesis;
  return {
    witnesses: VOTERS_OF_AN_OPERATION * votesOfAccount,
    votes: VOTERS * votesOfAccount,
    members: Math.trunc(max_transaction_size / BYTES_A_MEMBER),
  };
}

/**
 * The changes of a transaction, or of a block by itself, beyond the rows that it names. Votes are written to the rows
 * of witnesses at its end: a witness's position in virtual time depends only on its votes before and after, because
 * virtual time stands still meanwhile.
 */
export class Consequences {
  #limits = UNLIMITED;
  #moved = 0;
  #looked = 0;
  #members = 0;
  /** Current votes of the witnesses whose rows are not updated yet. */
  readonly #votes = new Map<AccountName, bigint>();
  /** The witnesses that accounts vote for, cached because every balance change needs them. */
  readonly #chosen = new Map<AccountName, readonly AccountName[]>();

  /** Starts a new transaction; anything left over belongs to one that was refused. */
  begin(limits: ConsequenceLimits | undefined = UNLIMITED): void {
    this.#limits = limits;
    this.#moved = 0;
    this.#looked = 0;
    this.#members = 0;
    this.#forget();
  }

  /** True if there are votes to be written to their rows. */
  get isUnfinished(): boolean {
    return this.#votes.size > 0;
  }

  /** Number of witnesses whose votes have changed so far. */
  get moved(): number {
    return this.#moved;
  }

  /** A witness's current votes if its row is not updated yet. */
  votesOf(witness: AccountName): bigint | undefined {
    return this.#votes.get(witness);
  }

  /** Sets the current votes of a witness. */
  setVotes(witness: AccountName, votes: bigint): void {
    if (!this.#votes.has(witness) && ++this.#moved > this.#limits.witnesses) {
      refuse.too_many_votes_moved({ most: this.#limits.witnesses });
    }
    this.#votes.set(witness, votes);
  }

  /** Discards the votes of a deleted witness. */
  dropVotes(witness: AccountName): void {
    this.#votes.delete(witness);
    this.#chosen.clear();
  }

  /**
   * Returns all votes for their rows, and clears the cache of voters: a hardfork processes all accounts, in portions.
   */
  takeVotes(): (readonly [AccountName, bigint])[] {
    const votes = [...this.#votes];
    this.#forget();
    return votes;
  }

  /** The witnesses that the account votes for; `find` looks them up the first time. */
  chosenBy(account: AccountName, find: () => readonly AccountName[]): readonly AccountName[] {
    const known = this.#chosen.get(account) ?? find();
    this.#chosen.set(account, known);
    return known;
  }

  /** To be called when the account's votes change. */
  forgetChosen(account: AccountName): void {
    this.#chosen.delete(account);
  }

  /** Counts votes that are read; more expensive work counts as several. */
  countVotes(count: number): void {
    this.#looked += count;
    if (this.#looked > this.#limits.votes) refuse.too_many_voters_moved({ most: this.#limits.votes });
  }

  /** Clearing an empty map costs as much as filling it, and most transactions move no votes. */
  #forget(): void {
    if (this.#votes.size > 0) this.#votes.clear();
    if (this.#chosen.size > 0) this.#chosen.clear();
  }

  /** Counts members of the authorities of an updated account. */
  countMembers(count: number): void {
    this.#members += count;
    if (this.#members > this.#limits.members) refuse.authorities_too_large({ most: this.#limits.members });
  }
}
