import { assert, present } from '../src/base/assert.ts';
import type { Json } from '../src/codec/json.ts';
import { readJson } from '../src/codec/json_reader.ts';
import { writeJson } from '../src/codec/json_writer.ts';
import { devAccounts, devSecret } from '../src/dev_chain/dev_genesis.ts';
import { signTransfers } from '../src/load_test/sign_transfers.ts';
import { RawBatchWriter } from '../src/verifiers/raw_batch.ts';
import type { DevChain } from './dev_chain.ts';

const METHOD = 'network_broadcast_api.broadcast_transaction';

/** Signed transfers between the development accounts as the front hands them over. */
export function rawTransfers(dev: DevChain, memo: string, count: number, first: number): Uint8Array<ArrayBuffer> {
  const { parameters, chain } = dev;
  const senders = devAccounts.map((name) => ({ name, secret: devSecret(name) }));
  const request = {
    profileName: 'default',
    chainId: parameters.chainId,
    referenceBlockId: chain.head.id,
    expiration: chain.head.time + 3000,
    fee: parameters.baseFees.get(parameters.coinSymbol) ?? 0n,
    senders,
    firstAmount: 1n,
    memo,
    first,
    count,
    batch: count,
  };
  const [body] = signTransfers(request);
  const calls = readJson(present(body, 'a body').body);
  assert(Array.isArray(calls), 'a body is a batch of calls');
  return rawBatch(calls.map(packParams));
}

/** Broadcasts with these params, all of one sender. */
export function rawBatch(params: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const out = new RawBatchWriter();
  for (const one of params)
    out.add({ method: METHOD, senderId: 1, dialect: 'default', operationForm: 'pair', params: one });
  return out.finish(0);
}

/** The params of a call as text, as the front cuts them out. */
export function packParams(call: Json): Uint8Array {
  assert(typeof call === 'object' && call !== null && !Array.isArray(call), 'a call is an object');
  return Buffer.from(writeJson(call['params'] ?? null));
}
