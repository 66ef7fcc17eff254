import { findSigners } from '../blocks/verify.ts';
import type { PackedTransaction } from '../blocks/transaction.ts';
import { QUARANTINED, SenderReputation, TRUSTED, UNKNOWN, type Group } from '../crypto/sender_reputation.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { ExpectedKeys } from './expected_signers.ts';

/**
 * With more than one wrong signature in this many from new senders, finding them costs more than recovering all
 * (bench/crypto).
 */
const LARGEST_WRONG_SHARE = 32;
/**
 * For this many batches the keys of new senders are then recovered: changing sender ids can't make the others much more
 * expensive.
 */
const QUARANTINED_BATCHES = 8;

/** Transactions that arrived together, each with its sender and the keys that have probably signed it. */
export interface SignatureBatch {
  readonly transactions: readonly PackedTransaction[];
  /** Sender ids as assigned in rpc/services.ts. */
  readonly senderIds: readonly number[];
  readonly expected: readonly (Pick<ExpectedKeys, 'keys' | 'isCertain'> | undefined)[];
}

/**
 * Recovers signers; senders of wrong signatures are verified in a separate group, so that others don't pay for them.
 */
export class SignatureBatchVerifier {
  readonly #chainId: string;
  readonly #reputation = new SenderReputation();
  #newcomersQuarantined = 0;

  constructor(chainId: string) {
    this.#chainId = chainId;
  }

  /** The keys behind the signatures of each transaction; records for each sender whether its signatures were right. */
  verify(batch: SignatureBatch): (readonly (PublicKey | undefined)[])[] {
    const { transactions, senderIds, expected } = batch;
    // A guess may be wrong without anybody's fault, so it is not verified together with those that are trusted.
    const groups = Uint8Array.from(senderIds, (senderId, index) =>
      Math.max(this.senderGroup(senderId), expected[index]?.isCertain === false ? UNKNOWN : TRUSTED),
    );
    const signers = findSigners(this.#chainId, transactions, { expected: expected.map((one) => one?.keys), groups });
    this.#note(batch, groups, signers);
    return signers;
  }

  /** The group in which the sender's next transaction is verified. */
  senderGroup(senderId: number): Group {
    const group = this.#reputation.senderGroup(senderId);
    return group === UNKNOWN && this.#newcomersQuarantined > 0 ? QUARANTINED : group;
  }

  #note(
    { senderIds, expected }: SignatureBatch,
    groups: Uint8Array,
    signers: readonly (readonly (PublicKey | undefined)[])[],
  ): void {
    let newcomers = 0;
    let wrong = 0;
    for (const [index, senderId] of senderIds.entries()) {
      const one = expected[index];
      // Where no key was expected, none was verified, and a wrong signature did no harm.
      if (one?.isCertain !== true) continue;
      const wasRight = signers[index]?.[0] === one.keys[0];
      this.#reputation.note(senderId, wasRight);
      if (groups[index] !== UNKNOWN) continue;
      newcomers++;
      if (!wasRight) wrong++;
    }
    this.#newcomersQuarantined =
      wrong * LARGEST_WRONG_SHARE > newcomers ? QUARANTINED_BATCHES : Math.max(0, this.#newcomersQuarantined - 1);
  }
}
