import { present } from '../../base/assert.ts';
import { proveTransactions } from '../../blocks/prove.ts';
import type { PackedTransaction, ProvedTransaction } from '../../blocks/transaction.ts';
import { APART, Standing, UNKNOWN, type Group } from '../../crypto/standing.ts';
import type { PublicKey } from '../../values/public_key.ts';

/** With more than one wrong signature among so many of newcomers, finding them costs more than recovering all (bench/crypto). */
const LARGEST_WRONG_SHARE = 32;
/** Batches in which newcomers are recovered then: whoever comes under a new number each time can't make the others much dearer. */
const BATCHES_APART = 8;

/** A transaction, who sent it, and the key that has probably signed it. */
export interface SourcedClaim {
  readonly packed: PackedTransaction;
  /** As rpc/services.ts numbers senders. */
  readonly source: number;
  readonly expected: PublicKey | undefined;
}

/** Finds out who signed; whoever sends wrong signatures pays for them, in a group of his own. */
export class SourcedProof {
  readonly #chainId: string;
  readonly #standing = new Standing();
  #newcomersApart = 0;

  constructor(chainId: string) {
    this.#chainId = chainId;
  }

  /** Proves a batch, and remembers of each source whether it was right. */
  prove(claims: readonly SourcedClaim[]): ProvedTransaction[] {
    const grouped = new Map(claims.map((claim) => [claim.packed, { ...claim, group: this.groupOf(claim.source) }]));
    const proved = proveTransactions(
      this.#chainId,
      claims.map(({ packed }) => packed),
      (packed) => grouped.get(packed)?.expected,
      (packed) => grouped.get(packed)?.group ?? UNKNOWN,
    );
    this.#note(claims.map((claim, index) => ({ ...present(grouped.get(claim.packed), 'a claim'), signer: proved[index]?.signers[0] })));
    return proved;
  }

  /** The group in which the next transaction of a source is proven. */
  groupOf(source: number): Group {
    const group = this.#standing.groupOf(source);
    return group === UNKNOWN && this.#newcomersApart > 0 ? APART : group;
  }

  #note(proved: readonly (SourcedClaim & { readonly group: Group; readonly signer: PublicKey | undefined })[]): void {
    let newcomers = 0;
    let wrong = 0;
    for (const { source, group, expected, signer } of proved) {
      // Where no key was expected, none was proven, and nothing was spoilt.
      if (expected === undefined) continue;
      const wasRight = signer === expected;
      this.#standing.note(source, wasRight);
      if (group !== UNKNOWN) continue;
      newcomers++;
      if (!wasRight) wrong++;
    }
    this.#newcomersApart = wrong * LARGEST_WRONG_SHARE > newcomers ? BATCHES_APART : Math.max(0, this.#newcomersApart - 1);
  }
}
