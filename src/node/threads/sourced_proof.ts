import { signersOf } from '../../blocks/prove.ts';
import type { PackedTransaction } from '../../blocks/transaction.ts';
import { APART, Standing, UNKNOWN, type Group } from '../../crypto/standing.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** With more than one wrong signature among so many of newcomers, finding them costs more than recovering all (bench/crypto). */
const LARGEST_WRONG_SHARE = 32;
/** Batches in which newcomers are recovered then: whoever comes under a new number each time can't make the others much dearer. */
const BATCHES_APART = 8;

/** Transactions that came together, and of each who sent it and the key that has probably signed it. */
export interface SourcedClaims {
  readonly transactions: readonly PackedTransaction[];
  /** As rpc/services.ts numbers senders. */
  readonly sources: readonly number[];
  readonly expected: readonly (PublicKey | undefined)[];
}

/** Finds out who signed; whoever sends wrong signatures pays for them, in a group of his own. */
export class SourcedProof {
  readonly #chainId: string;
  readonly #standing = new Standing();
  #newcomersApart = 0;

  constructor(chainId: string) {
    this.#chainId = chainId;
  }

  /** The keys behind the signatures of each transaction; remembers of each source whether it was right. */
  prove(claims: SourcedClaims): (readonly (PublicKey | undefined)[])[] {
    const { transactions, sources, expected } = claims;
    const groups = Uint8Array.from(sources, (source) => this.groupOf(source));
    const signers = signersOf(this.#chainId, transactions, { expected, groups });
    this.#note(claims, groups, signers);
    return signers;
  }

  /** The group in which the next transaction of a source is proven. */
  groupOf(source: number): Group {
    const group = this.#standing.groupOf(source);
    return group === UNKNOWN && this.#newcomersApart > 0 ? APART : group;
  }

  #note({ sources, expected }: SourcedClaims, groups: Uint8Array, signers: readonly (readonly (PublicKey | undefined)[])[]): void {
    let newcomers = 0;
    let wrong = 0;
    for (const [index, source] of sources.entries()) {
      const key = expected[index];
      // Where no key was expected, none was proven, and nothing was spoilt.
      if (key === undefined) continue;
      const wasRight = signers[index]?.[0] === key;
      this.#standing.note(source, wasRight);
      if (groups[index] !== UNKNOWN) continue;
      newcomers++;
      if (!wasRight) wrong++;
    }
    this.#newcomersApart = wrong * LARGEST_WRONG_SHARE > newcomers ? BATCHES_APART : Math.max(0, this.#newcomersApart - 1);
  }
}
