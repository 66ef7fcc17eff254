import { present } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { writeJson } from '../codec/json_writer.ts';
import { speaksLineage, type EncodingOptions } from '../codec/encoding_options.ts';
import { requireRelayedForm, withOneForm } from '../blocks/signature_form.ts';
import {
  packTransaction,
  readRelayedTransaction,
  signedTransaction,
  type PackedTransaction,
} from '../blocks/transaction.ts';
import { broadcastRequest } from '../rpc/broadcast_request.ts';
import { refuseBroadcast } from '../rpc/broadcast_refusals.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { accountAuthorities } from '../state/tables/account_authority.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import type { CommittedRows } from '../storage/rows.ts';
import { findAsked, expectedSigners, learnSigners, type Asked, type ExpectedKeys } from './expected_signers.ts';
import { NULL_KEY, type PublicKey } from '../values/public_key.ts';
import { MemoGuard } from './memo_guard.ts';
import { encodeVerifiedBatch, type VerifiedBroadcast } from '../blocks/verified_batch.ts';
import { decodeRawBatch, type BundledItem, type RawItem } from './raw_batch.ts';
import { SignatureBatchVerifier } from './signature_batch.ts';
import { SignerHints } from './signer_hints.ts';
import { sentFailure } from '../system/sent_refusal.ts';
import type { VerifierReport } from './verifier_report.ts';
import type { WaitFor } from '../rpc/wait_for.ts';

/** The part of a broadcast that the report to the front needs. */
interface ReportItem {
  readonly ticket: number;
  readonly waitFor: WaitFor;
  /** JSON text of the transaction as the chain reads it; empty when the answer does not show it. */
  readonly transaction: string;
}

interface Shaped {
  readonly ticket: number;
  readonly item: ReportItem;
  readonly senderId: number;
  readonly packed: PackedTransaction;
  readonly asked: Asked | undefined;
  /** The key that came with it. */
  readonly hint: PublicKey | undefined;
  readonly mayWaitInVain: boolean;
  readonly isBundled: boolean;
}

/** The refusals of a batch so far. */
type Refused = VerifierReport['refused'][number][];

interface Signed extends VerifiedBroadcast {
  readonly item: Shaped['item'];
  readonly hint: PublicKey | undefined;
}

/** The sender of a key says that it has signed. A wrong one is the sender's fault, so nothing is looked up. */
function hinted(key: PublicKey): Pick<ExpectedKeys, 'keys' | 'isCertain'> | undefined {
  return key === NULL_KEY ? undefined : { keys: [key], isCertain: true };
}

/** The clock, the rows and the parameters of a verifier. */
export interface VerifierParts {
  readonly parameters: ChainParameters;
  /** The committed rows. */
  readonly view: CommittedRows;
  readonly clock: Clock;
  /** True if memos are looked at for keys of their senders (memo_guard.ts); true by default. */
  readonly guardsMemos?: boolean | undefined;
  readonly hints?: SignerHints | undefined;
  /** Sends an encoded batch to the writer. */
  readonly handOver: (bytes: Uint8Array<ArrayBuffer>) => void;
}

/**
 * Decodes broadcasts, checks their form, recovers the signers and passes them to the writer. The broadcasts of a batch
 * come from different senders: a bad one must not affect the others.
 */
export class BatchVerifier {
  readonly #parameters: ChainParameters;
  readonly #view: CommittedRows;
  readonly #clock: Clock;
  readonly #handOver: (bytes: Uint8Array<ArrayBuffer>) => void;
  readonly #signers: SignatureBatchVerifier;
  readonly #hints: SignerHints;
  readonly #memos: MemoGuard;
  readonly #encodings: Record<EncodingOptions['dialect'], Record<EncodingOptions['operationForm'], EncodingOptions>>;

  constructor({ parameters, view, clock, guardsMemos, hints = new SignerHints(), handOver }: VerifierParts) {
    this.#clock = clock;
    this.#parameters = parameters;
    this.#signers = new SignatureBatchVerifier(parameters.chainId);
    this.#hints = hints;
    this.#view = view;
    this.#memos = new MemoGuard(view, guardsMemos);
    this.#handOver = handOver;
    const { profile } = this.#parameters;
    const both = (dialect: EncodingOptions['dialect']): Record<EncodingOptions['operationForm'], EncodingOptions> => ({
      pair: { ...profile, dialect, operationForm: 'pair' },
      typed: { ...profile, dialect, operationForm: 'typed' },
    });
    this.#encodings = { default: both('default'), legacy: both('legacy') };
  }

  verify(batch: Uint8Array): Omit<VerifierReport, 'elapsedMicros'> {
    const refused: Refused = [];
    const shaped = this.#passing(decodeRawBatch(batch), refused, (raw) => this.#shape(raw));
    const signed = this.#verifyAll(shaped, refused);
    const passed = this.#withoutSecrets(signed, refused);
    if (passed.length > 0) this.#handOver(encodeVerifiedBatch(passed));
    const misled = signed.filter(
      ({ hint, verified }) => hint !== undefined && (verified.signers[0] ?? NULL_KEY) !== hint,
    );
    return {
      told: passed.flatMap(({ item }) => (item.waitFor === 'accepted' && item.transaction === '' ? [] : [item])),
      refused,
      misled: misled.map(({ ticket }) => ticket),
    };
  }

  /** The results of the items that pass this step; the others are added to `refused`. */
  #passing<T extends { readonly ticket: number }, U>(some: Iterable<T>, refused: Refused, step: (one: T) => U): U[] {
    const passed: U[] = [];
    for (const one of some) {
      try {
        passed.push(step(one));
      } catch (error) {
        refused.push({ ticket: one.ticket, refusal: sentFailure(error) });
      }
    }
    return passed;
  }

  /** The items whose memos reveal no private key. */
  #withoutSecrets(signed: readonly Signed[], refused: Refused): Signed[] {
    this.#memos.begin(signed.map(({ verified }) => verified));
    const read = this.#passing(signed, refused, (one) => ({
      ticket: one.ticket,
      one,
      memos: this.#memos.memosOf(one.verified),
    }));
    this.#memos.prepare(read.flatMap(({ memos }) => memos));
    return this.#passing(read, refused, ({ one, memos }) => {
      for (const memo of memos) this.#memos.check(memo);
      return one;
    });
  }

  /** Everything that can be checked without the state. */
  #shape(raw: RawItem): Shaped {
    return 'bundled' in raw ? this.#shapeBundled(raw) : this.#shapeBroadcast(raw);
  }

  /** A peer has packed it, in the one form if there is one. */
  #shapeBundled({ ticket, senderId, bundled }: BundledItem & { readonly ticket: number }): Shaped {
    const { packed: bytes, unsignedBytes, key: hint } = bundled;
    if (this.#parameters.rules.one_signature_form) requireRelayedForm(bytes, unsignedBytes);
    const packed = readRelayedTransaction(bytes, unsignedBytes);
    const { transaction } = packed;
    const asked = transaction.signatures.length === 1 ? undefined : findAsked(transaction);
    const item = { ticket, waitFor: 'accepted', transaction: '' } as const;
    // The peer has accepted it by the same rule.
    const mayWaitInVain = speaksLineage(this.#encodings.default.pair);
    return { ticket, item, senderId, packed, asked, hint, mayWaitInVain, isBundled: true };
  }

  #shapeBroadcast(raw: Exclude<RawItem, BundledItem>): Shaped {
    const encoding = this.#encodings[raw.dialect][raw.operationForm];
    const request = broadcastRequest(raw, encoding);
    this.#requireFreshHead(request.maxBlockAge);
    const posted = packTransaction(request.transaction);
    const packed = this.#parameters.rules.one_signature_form ? withOneForm(posted) : posted;
    const { transaction } = packed;
    // The front would keep it as long as the caller waits.
    const text = request.showsTransaction === true ? writeJson(signedTransaction.toJson(transaction, encoding)) : '';
    const { ticket, senderId } = raw;
    const item = { ticket, waitFor: request.waitFor, transaction: text };
    const mayWaitInVain = speaksLineage(encoding);
    const asked = findAsked(transaction);
    return { ticket, item, senderId, packed, asked, hint: undefined, mayWaitInVain, isBundled: false };
  }

  #requireFreshHead(maxBlockAge: number): void {
    if (maxBlockAge < 0) return;
    const ageSeconds = Math.trunc(this.#clock.nowMs() / 1000) - this.#view.only(dynamicGlobalProperties).time;
    if (ageSeconds > maxBlockAge) refuseBroadcast.head_too_old({ ageSeconds, most: maxBlockAge });
  }

  /**
   * Verifies all items together; if that fails as a whole, each is tried alone, so that only the faulty ones are
   * refused.
   */
  #verifyAll(shaped: readonly Shaped[], refused: Refused): Signed[] {
    try {
      return this.#verifySignatures(shaped);
    } catch (error) {
      sentFailure(error);
      return this.#passing(shaped, refused, (one) => present(this.#verifySignatures([one])[0], 'the only one'));
    }
  }

  #verifySignatures(shaped: readonly Shaped[]): Signed[] {
    if (shaped.length === 0) return [];
    const transactions = shaped.map(({ packed }) => packed);
    const senderIds = shaped.map(({ senderId }) => senderId);
    const asked = shaped.map((one) => one.asked);
    const looked = expectedSigners((names) => this.#view.getManyCached(accountAuthorities, names), asked, this.#hints);
    const expected = shaped.map(({ hint, asked: lookedFor }, index) =>
      hint !== undefined && lookedFor === undefined ? hinted(hint) : looked[index],
    );
    const signers = this.#signers.verify({ transactions, senderIds, expected });
    learnSigners(this.#hints, asked, looked, signers);
    return shaped.map(
      ({ item, hint, mayWaitInVain, isBundled, packed: { transaction, packed, unsignedBytes, id, leaf } }, index) => {
        // Written out member by member: a spread costs as much as a hash.
        const verified = {
          transaction,
          packed,
          unsignedBytes,
          id,
          leaf,
          signers: present(signers[index], 'who signed'),
        };
        return { ticket: item.ticket, item, hint, mayWaitInVain, isBundled, verified };
      },
    );
  }
}
