import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import type { MissingAuthority } from '../blocks/signature_gaps.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { member } from '../client/chain_of_node.ts';
import type { Json } from '../codec/json.ts';
import { outputEncoding, chainSymbols, type Wallet } from './wallet.ts';

/** As many as can be read at a glance. */
const MOST_CHANGES = 6;
const LONGEST_SHOWN = 1000;

/**
 * Shows the person what a transaction would do if it were sent, according to the node. The node gets it unsigned: it
 * could send a signed one itself.
 */
export async function showPreview(
  wallet: Wallet,
  transaction: SignedTransaction,
  missing: readonly MissingAuthority[],
): Promise<void> {
  if (wallet.person === undefined) return;
  const tx = signedTransaction.toJson({ ...transaction, signatures: [] }, outputEncoding(await chainSymbols(wallet)));
  const check = await checked(wallet, tx);
  if (check !== undefined) wallet.person.tell(oneLine(previewText(check)));
  if (missing.length > 0)
    wallet.person.tell(
      oneLine(`signatures are missing: ${missing.slice(0, MOST_CHANGES).map(missingText).join(', ')}`),
    );
}

/** Undefined where the node has no such method, or doesn't answer: then there is nothing to tell. */
async function checked({ node }: Wallet, tx: Json): Promise<Json | undefined> {
  try {
    return await node.ask('check_transaction', { tx }, 'check');
  } catch (error) {
    if (error instanceof Refusal || error instanceof Fault) return undefined;
    throw error;
  }
}

function previewText(check: Json): string {
  const refusal = member(check, 'refusal_when_signed');
  if (typeof refusal === 'object' && refusal !== null)
    return `sent now, it would be refused: ${said(member(refusal, 'message'))}`;
  const fees = jsonList(member(check, 'fees')).map(
    (fee) => `${said(member(fee, 'charged'))} from ${said(member(fee, 'payer'))}`,
  );
  const changes = jsonList(member(check, 'balances')).map(
    (each) => `${said(member(each, 'account'))} ${said(member(each, 'change'))} (then ${said(member(each, 'after'))})`,
  );
  const more = changes.length > MOST_CHANGES ? [`${changes.length - MOST_CHANGES} more`] : [];
  const balances = [...changes.slice(0, MOST_CHANGES), ...more].join(', ') || 'no balance changes';
  return `sent now: ${balances}; ${fees.length === 1 ? 'fee' : 'fees'} ${fees.slice(0, MOST_CHANGES).join(', ')}`;
}

/** By the wallet's own reckoning: the node gets the transaction unsigned. */
function missingText({ account, role, weight, authority: { weight_threshold } }: MissingAuthority): string {
  const whose = account === '' ? 'an authority that the transaction names' : `${account}, ${role}`;
  return `${whose} (${weight} of ${weight_threshold})`;
}

function jsonList(json: Json | undefined): readonly Json[] {
  return Array.isArray(json) ? json : [];
}

function said(json: Json | undefined): string {
  return typeof json === 'string' ? json : '?';
}

/** It is the node's text: it must not look like more lines of the wallet. */
function oneLine(text: string): string {
  return text.replaceAll('\n', ' ').slice(0, LONGEST_SHOWN);
}
