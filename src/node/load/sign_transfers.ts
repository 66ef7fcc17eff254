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
import type { SignedBody, SigningRequest } from './signing_request.ts';

/** Signs the transfers of the request, body by body. */
export function* signTransfers(request: SigningRequest): Generator<SignedBody> {
  const profile = profileNamed(request.profileName);
  const end = request.first + request.count;
  for (let first = request.first; first < end; first += request.batch) {
    const count = Math.min(request.batch, end - first);
    const signed = Array.from({ length: count }, (_, index) => signTransfer(request, profile, first + index));
    const calls = signed.map(
      ({ json }, id) => `{"jsonrpc":"2.0","id":${id},"method":"network_broadcast_api.broadcast_transaction","params":{"trx":${json}}}`,
    );
    yield { count, body: Uint8Array.from(Buffer.from(`[${calls.join(',')}]`)), ids: signed.map(({ id }) => id).join('') };
  }
}

function signTransfer(request: SigningRequest, profile: Profile, number: number): { id: string; json: string } {
  const { secret } = senderOf(request, number);
  const signed = present(
    signTransaction(request.chainId, transferOf(request, profile, number), [secret], ruleOf(profile)),
    'a signature of a sender whose secret was tried before',
  );
  const notation: Notation = { ...profile, dialect: 'default', operationForm: 'pair' };
  return { id: transactionId(signed), json: writeJson(signedTransaction.toJson(signed, notation)) };
}

/** Senders take turns, and each one sends to all others in turn. */
function transferOf(request: SigningRequest, { coinSymbol: symbol }: Profile, number: number): SignedTransaction {
  const { senders, fee, firstAmount, expiration, memo = '' } = request;
  const round = Math.trunc(number / senders.length);
  const from = senderOf(request, number);
  const to = senderOf(request, number + 1 + (round % (senders.length - 1)));
  const amount = firstAmount + BigInt(number);
  const body = {
    fee: { amount: fee, symbol },
    from: from.name,
    to: to.name,
    amount: { amount, symbol },
    memo: memo.replaceAll('{number}', amount.toString()),
  };
  return { ...blockReference(request.referenceBlockId), expiration, operations: [transfer.of(body)], extensions: [], signatures: [] };
}

function senderOf({ senders }: SigningRequest, number: number): SigningRequest['senders'][number] {
  return present(senders[number % senders.length], 'a sender');
}

/** A chain with a single signature form requires only that form, which takes half the time to sign; others get the form that all accept. */
function ruleOf({ rules }: Profile): CanonicalRule | undefined {
  return rules === 'interface' ? signatureRules.one : undefined;
}
