import { present } from '../base/assert.ts';
import { writeJson } from '../codec/json_writer.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { signedTransaction, type SignedTransaction } from '../blocks/transaction.ts';
import { transfer } from '../operations/transfer.ts';
import { blockReference } from '../values/block_reference.ts';
import type { Profile } from '../values/profile.ts';
import { profileNamed } from '../settings/chain_settings.ts';
import { signBatch } from './sign_batch.ts';
import type { SignedBody, SigningRequest } from './signing_request.ts';

/** Transfers that are signed together: two of the batches that the crypto module takes at once. */
const TOGETHER = 2000;

/** Signs the transfers of the request, body by body. */
export function* signTransfers(request: SigningRequest): Generator<SignedBody> {
  const end = request.first + request.count;
  const step = Math.max(1, Math.trunc(TOGETHER / request.batch)) * request.batch;
  for (let first = request.first; first < end; first += step) {
    const calls = signCalls(request, first, Math.min(step, end - first));
    for (let from = 0; from < calls.length; from += request.batch)
      yield makeBody(calls.slice(from, from + request.batch));
  }
}

/** A call without its beginning, which has its place in the batch. */
interface SignedCall {
  readonly id: string;
  readonly rest: string;
}

function signCalls(request: SigningRequest, first: number, count: number): SignedCall[] {
  const profile = profileNamed(request.profileName);
  const encoding: EncodingOptions = { ...profile, dialect: 'default', operationForm: 'pair' };
  const batch = Array.from({ length: count }, (_, index) => {
    return {
      unsigned: makeTransfer(request, profile, first + index),
      secrets: [chooseSender(request, first + index).secret],
    };
  });
  return signBatch(request.chainId, batch, profile).map(({ transaction, id }) => {
    const trx = writeJson(signedTransaction.toJson(transaction, encoding));
    return { id, rest: `,"method":"network_broadcast_api.broadcast_transaction","params":{"trx":${trx}}}` };
  });
}

function makeBody(calls: readonly SignedCall[]): SignedBody {
  const text = calls.map(({ rest }, id) => `{"jsonrpc":"2.0","id":${id}${rest}`).join(',');
  return {
    count: calls.length,
    body: Uint8Array.from(Buffer.from(`[${text}]`)),
    ids: calls.map(({ id }) => id).join(''),
  };
}

/** Senders take turns, and each one sends to all others in turn. */
function makeTransfer(request: SigningRequest, { coinSymbol: symbol }: Profile, number: number): SignedTransaction {
  const { senders, fee, firstAmount, expiration, memo = '' } = request;
  const round = Math.trunc(number / senders.length);
  const from = chooseSender(request, number);
  const to = chooseSender(request, number + 1 + (round % (senders.length - 1)));
  const amount = firstAmount + BigInt(number);
  const body = {
    fee: { amount: fee, symbol },
    from: from.name,
    to: to.name,
    amount: { amount, symbol },
    memo: memo.replaceAll('{number}', amount.toString()),
  };
  return {
    ...blockReference(request.referenceBlockId),
    expiration,
    operations: [transfer.of(body)],
    extensions: [],
    signatures: [],
  };
}

function chooseSender({ senders }: SigningRequest, number: number): SigningRequest['senders'][number] {
  return present(senders[number % senders.length], 'a sender');
}
