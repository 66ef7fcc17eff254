import { present } from '../../base/assert.ts';
import { writeJson } from '../../codec/json_writer.ts';
import type { Notation } from '../../codec/notation.ts';
import { signTransaction } from '../../blocks/sign_transaction.ts';
import { signatureRules } from '../../blocks/signature_form.ts';
import { signedTransaction, transactionId, type SignedTransaction } from '../../blocks/transaction.ts';
import type { CanonicalRule } from '../../crypto/canonical.ts';
import { transfer } from '../../operations/transfer.ts';
import { blockReference } from '../../values/hash.ts';
import type { Profile } from '../../values/profile.ts';
import { profileNamed } from '../chain_settings.ts';
import type { SignedBody, SigningOrder } from './signing_order.ts';

/** Signs what the order asks for, body by body. */
export function* signTransfers(order: SigningOrder): Generator<SignedBody> {
  const profile = profileNamed(order.profileName);
  const end = order.first + order.count;
  for (let first = order.first; first < end; first += order.batch) {
    const count = Math.min(order.batch, end - first);
    const signed = Array.from({ length: count }, (_, index) => signTransfer(order, profile, first + index));
    const calls = signed.map(
      ({ json }, id) => `{"jsonrpc":"2.0","id":${id},"method":"network_broadcast_api.broadcast_transaction","params":{"trx":${json}}}`,
    );
    yield { count, body: Uint8Array.from(Buffer.from(`[${calls.join(',')}]`)), ids: signed.map(({ id }) => id).join('') };
  }
}

function signTransfer(order: SigningOrder, profile: Profile, number: number): { id: string; json: string } {
  const { secret } = senderOf(order, number);
  const signed = present(
    signTransaction(order.chainId, transferOf(order, profile, number), [secret], ruleOf(profile)),
    'a signature of a sender whose secret was tried before',
  );
  const notation: Notation = { ...profile, dialect: 'default', operationForm: 'pair' };
  return { id: transactionId(signed), json: writeJson(signedTransaction.toJson(signed, notation)) };
}

/** Senders take turns, and each sends to all others in turn. */
function transferOf(order: SigningOrder, { coinSymbol: symbol }: Profile, number: number): SignedTransaction {
  const { senders, fee, firstAmount, expiration } = order;
  const round = Math.trunc(number / senders.length);
  const from = senderOf(order, number);
  const to = senderOf(order, number + 1 + (round % (senders.length - 1)));
  const body = {
    fee: { amount: fee, symbol },
    from: from.name,
    to: to.name,
    amount: { amount: firstAmount + BigInt(number), symbol },
    memo: '',
  };
  return { ...blockReference(order.referenceBlockId), expiration, operations: [transfer.of(body)], extensions: [], signatures: [] };
}

function senderOf({ senders }: SigningOrder, number: number): SigningOrder['senders'][number] {
  return present(senders[number % senders.length], 'a sender');
}

/** A chain that has one form asks for no more than that, which is signed in half the time; others are given what all take. */
function ruleOf({ rules }: Profile): CanonicalRule | undefined {
  return rules === 'interface' ? signatureRules.one : undefined;
}
