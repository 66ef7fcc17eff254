import { refusals } from '../base/refusal.ts';

const refuse = refusals({
  transaction_too_big: {
    text: 'the transaction has {bytes} bytes; at most {most} are taken',
    lineage: 'Transaction size is bigger than {coin}_MAX_TRANSACTION_SIZE',
  },
});

/** Refusals of a transaction before anything else is checked. */
export const transactionSizeRefusals = refuse.texts;

/** Refuses a transaction that has more bytes, signatures included, than the chain accepts from clients. */
export function requireTransactionSize(
  { length }: Uint8Array,
  {
    maxTransactionBytes,
    profile,
  }: { readonly maxTransactionBytes: number; readonly profile: { readonly coinName: string } },
): void {
  if (length <= maxTransactionBytes) return;
  refuse.transaction_too_big({ bytes: length, most: maxTransactionBytes, coin: profile.coinName.toUpperCase() });
}
