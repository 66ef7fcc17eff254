import { packTransaction, type SignedTransaction } from '../../blocks/transaction.ts';
import type { TransactionCheck } from '../../blocks/transaction_check.ts';
import { refuseCall } from '../../jsonrpc/errors.ts';
import type { SentCheck } from './messages.ts';
import { asRefusal } from './verdicts.ts';
import type { Verifiers } from './verifier_pool.ts';
import type { WriterClient } from './writer_client.ts';

/** Most checks that wait, about a second of work. */
const MOST_CHECKS = 256;

/**
 * Checks transactions one at a time, in a verifier and then in the writer: however many are asked for, a block waits for at most one of
 * them, which takes as long as one transaction.
 */
export class TransactionChecks {
  readonly #verifiers: Pick<Verifiers, 'verifyForCheck'>;
  readonly #writer: Pick<WriterClient, 'ask'>;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(verifiers: Pick<Verifiers, 'verifyForCheck'>, writer: Pick<WriterClient, 'ask'>) {
    this.#verifiers = verifiers;
    this.#writer = writer;
  }

  /** What the transaction would do now; refuses when too many wait. */
  async check(transaction: SignedTransaction): Promise<TransactionCheck> {
    if (this.#waiting >= MOST_CHECKS) refuseCall.too_busy({ limit: MOST_CHECKS });
    this.#waiting++;
    const done = this.#last.then(() => this.#checkNow(transaction));
    this.#last = done.catch(() => undefined).finally(() => this.#waiting--);
    return await done;
  }

  async #checkNow(transaction: SignedTransaction): Promise<TransactionCheck> {
    const { verified, refusal: byVerifier } = await this.#verifiers.verifyForCheck(packTransaction(transaction).packed);
    const { refusal, refusalWhenSigned, ...check } = await this.#askWriter(verified);
    const [asSent, whenSigned] = [byVerifier ?? refusal, byVerifier ?? refusalWhenSigned];
    return {
      ...check,
      ...(byVerifier === undefined ? {} : { balances: [] }),
      refusal: asSent && asRefusal(asSent),
      refusalWhenSigned: whenSigned && asRefusal(whenSigned),
    };
  }

  async #askWriter(verified: Uint8Array): Promise<SentCheck>;
  async #askWriter(verified: Uint8Array): Promise<unknown> {
    return await this.#writer.ask({ kind: 'check', verified });
  }
}
