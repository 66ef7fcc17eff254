import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { ChainParameters } from './parameters.ts';

/** The votes that may be moved by one operation: of who pays, who gives and who gets, or of an account and its proxies before and after. */
const VOTERS_OF_AN_OPERATION = 5;
/** So many voters may have all the votes that an account can cast; fewer votes each leave room for more voters. */
const VOTERS = 60;
/** A member of an authority has 31 bytes or more, so an authority that a transaction gave has fewer; there is room for four accounts with two of them. */
const BYTES_A_MEMBER = 4;

const refuse = refusals({
  too_many_votes_moved: 'the transaction moves the votes of more than {most} witnesses; send its operations one by one',
  too_many_voters_moved: 'the transaction looks at more than {most} votes of the accounts that it changes; send its operations one by one',
  authorities_too_large:
    'the authorities of the accounts that the transaction updates have more than {most} members; send its operations one by one',
});

/** How much one transaction may bring about. */
export interface ConsequenceLimits {
  /** Witnesses whose votes are moved. */
  readonly witnesses: number;
  /** Votes that are looked at, to find out whom. */
  readonly votes: number;
  /** Members of the authorities of accounts that are updated: each may be a key to strike out of the index. */
  readonly members: number;
}

const UNLIMITED: ConsequenceLimits = { witnesses: Infinity, votes: Infinity, members: Infinity };

/** Room for every single operation, and more for none that does as much as 8 KiB can: some 20 ms of work for each. */
export function consequenceLimits({ genesis }: Pick<ChainParameters, 'genesis'>): ConsequenceLimits {
  const { max_account_witness_votes: votesOfAccount, max_transaction_size } = genesis;
  return {
    witnesses: VOTERS_OF_AN_OPERATION * votesOfAccount,
    votes: VOTERS * votesOfAccount,
    members: Math.trunc(max_transaction_size / BYTES_A_MEMBER),
  };
}

/**
 * What a transaction, or a block by itself, changes beyond the rows that it names. The rows of witnesses get their votes at its end: how
 * far a witness has come in virtual time depends on its votes before and after, because that time stands still meanwhile.
 */
export class Consequences {
  #limits = UNLIMITED;
  #moved = 0;
  #looked = 0;
  #members = 0;
  /** What witnesses have now, of those whose rows don't say so yet. */
  readonly #votes = new Map<AccountName, bigint>();
  /** For whom accounts vote: each change of what an account holds asks for it. */
  readonly #chosen = new Map<AccountName, readonly AccountName[]>();

  /** Another transaction begins; what the one before it left behind was refused with it. */
  begin(limits: ConsequenceLimits | undefined = UNLIMITED): void {
    this.#limits = limits;
    this.#moved = 0;
    this.#looked = 0;
    this.#members = 0;
    this.#forget();
  }

  /** Whether votes wait for their rows. */
  get isUnfinished(): boolean {
    return this.#votes.size > 0;
  }

  /** How many witnesses have been moved so far. */
  get moved(): number {
    return this.#moved;
  }

  /** A witness's votes where its row doesn't say so yet. */
  votesOf(witness: AccountName): bigint | undefined {
    return this.#votes.get(witness);
  }

  /** Notes the votes that a witness has now. */
  setVotes(witness: AccountName, votes: bigint): void {
    if (!this.#votes.has(witness) && ++this.#moved > this.#limits.witnesses) {
      refuse.too_many_votes_moved({ most: this.#limits.witnesses });
    }
    this.#votes.set(witness, votes);
  }

  /** The witness is gone, whatever votes it had. */
  dropVotes(witness: AccountName): void {
    this.#votes.delete(witness);
    this.#chosen.clear();
  }

  /** Hands out all votes for their rows, and forgets who voted: a hardfork looks at all accounts, so many at a time. */
  takeVotes(): (readonly [AccountName, bigint])[] {
    const votes = [...this.#votes];
    this.#forget();
    return votes;
  }

  /** For whom the account votes; `find` looks it up the first time. */
  chosenBy(account: AccountName, find: () => readonly AccountName[]): readonly AccountName[] {
    const known = this.#chosen.get(account) ?? find();
    this.#chosen.set(account, known);
    return known;
  }

  /** The account votes otherwise from here on. */
  forgetChosen(account: AccountName): void {
    this.#chosen.delete(account);
  }

  /** Counts votes of an account that are looked at; what is more work counts as several. */
  countVotes(count: number): void {
    this.#looked += count;
    if (this.#looked > this.#limits.votes) refuse.too_many_voters_moved({ most: this.#limits.votes });
  }

  /** Emptying an empty map costs as much as filling it, and most transactions move no votes. */
  #forget(): void {
    if (this.#votes.size > 0) this.#votes.clear();
    if (this.#chosen.size > 0) this.#chosen.clear();
  }

  /** Counts members of the authorities of an account that is updated. */
  countMembers(count: number): void {
    this.#members += count;
    if (this.#members > this.#limits.members) refuse.authorities_too_large({ most: this.#limits.members });
  }
}
