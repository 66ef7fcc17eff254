import type { SignedTransaction } from '../../client/transaction_signers.ts';
import { isObject, optionalNodePage } from './node_page.ts';

/** Transactions that this page has shown while they were pending. The node tells nothing of those that it drops. */
const seen = new Map<string, SignedTransaction>();
const MOST_SEEN = 100;

/** Fetches a pending transaction from the node, unless this page has it. No method tells it before a block has it. */
export async function fetchPending(id: string): Promise<void> {
  if (seen.has(id)) return;
  const found = await optionalNodePage('The pending transaction', `chain/pending/${id}.json`, readPending);
  if (found?.transaction === undefined) return;
  seen.set(id, found.transaction);
  const [oldest] = seen.keys();
  if (seen.size > MOST_SEEN && oldest !== undefined) seen.delete(oldest);
}

/** Returns a transaction that this page has seen while it was pending. */
export function seenPending(id: string): SignedTransaction | undefined {
  return seen.get(id);
}

/** Reads the node's answer. It has no transaction once that is no longer pending. */
export function readPending(json: unknown): { readonly transaction: SignedTransaction | undefined } | undefined {
  if (!isObject(json) || typeof json.status !== 'string') return undefined;
  if (json.transaction === undefined) return { transaction: undefined };
  return isTransaction(json.transaction) ? { transaction: json.transaction } : undefined;
}

function isTransaction(value: unknown): value is SignedTransaction {
  if (!isObject(value)) return false;
  const { operations, signatures, ...texts } = value;
  if (!Array.isArray(operations) || !Array.isArray(signatures)) return false;
  return (
    operations.every((each) => Array.isArray(each) && typeof each[0] === 'string' && isObject(each[1])) &&
    signatures.every((each) => typeof each === 'string') &&
    [texts.transaction_id, texts.expiration].every((each) => typeof each === 'string')
  );
}
