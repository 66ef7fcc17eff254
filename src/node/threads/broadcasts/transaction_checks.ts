import { present } from '../../../base/assert.ts';
import { packTransaction, type SignedTransaction } from '../../../blocks/transaction.ts';
import type { TransactionCheck } from '../../../blocks/transaction_check.ts';
import type { CheckOutcome } from '../messages.ts';
import { asRefusal, receivedRefusal } from '../../../system/sent_refusal.ts';
import type { Verifiers } from '../../../verifiers/verifier_pool.ts';

/**
 * Checks transactions one at a time, in a verifier and then in the writer: however many are asked for, a block waits
 * for at most one of them, which takes as long as one transaction.
 */
export class TransactionChecks {
  readonly #verifiers: Pick<Verifiers, 'verifyForCheck'>;
  readonly #tryOut: (verified: Uint8Array) => Promise<CheckOutcome>;
  #last: Promise<unknown> = Promise.resolve();

  /** `tryOut` has the writer try a batch of one transaction. */
  constructor(verifiers: Pick<Verifiers, 'verifyForCheck'>, tryOut: (verified: Uint8Array) => Promise<CheckOutcome>) {
    this.#verifiers = verifiers;
    this.#tryOut = tryOut;
  }

  /** Finds the effects of the transaction now. The limit `verifierCalls` of the server says how many calls wait. */
  async check(transaction: SignedTransaction): Promise<TransactionCheck> {
    const done = this.#last.then(() => this.#checkNow(transaction));
    this.#last = done.catch(() => undefined);
    return await done;
  }

  async #checkNow(transaction: SignedTransaction): Promise<TransactionCheck> {
    const { verified, refusal: byVerifier } = await this.#verifiers.verifyForCheck(packTransaction(transaction).packed);
    const { value, failure } = await this.#tryOut(verified);
    if (failure !== undefined) throw receivedRefusal(failure);
    const { refusal, refusalWhenSigned, ...check } = present(value, 'a check that did not fail');
    const [asSent, whenSigned] = [byVerifier ?? refusal, byVerifier ?? refusalWhenSigned];
    return {
      ...check,
      ...(byVerifier === undefined ? {} : { balances: [] }),
      refusal: asSent && asRefusal(asSent),
      refusalWhenSigned: whenSigned && asRefusal(whenSigned),
    };
  }
}
