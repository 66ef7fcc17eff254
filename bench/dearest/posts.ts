import { present } from '../../src/base/assert.ts';
import { systemClock } from '../../src/base/clock.ts';
import { signTransaction } from '../../src/blocks/sign_transaction.ts';
import { signedTransaction } from '../../src/blocks/transaction.ts';
import { writeJson } from '../../src/codec/json_writer.ts';
import { devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { BatchVerifier } from '../../src/verifiers/batch_verifier.ts';
import { RawBatchWriter } from '../../src/verifiers/raw_batch.ts';
import { customJson } from '../../src/operations/custom_json.ts';
import type { Operation } from '../../src/operations/operation.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { blockReference } from '../../src/values/block_reference.ts';
import type { DevChain } from '../dev_chain.ts';

/** A post as a verifier may meet it. */
export interface Post {
  readonly what: string;
  /** The number of keys that sign it. */
  readonly signers: number;
  operations(dev: DevChain, round: number): Operation[];
}

export const posts: readonly Post[] = [
  { what: 'a memo for each of many transfers', signers: 1, operations: (dev, round) => transfers(dev, 140, round, 1) },
  { what: 'signatures of many keys', signers: 60, operations: (dev, round) => transfers(dev, 60, round, 0) },
  { what: 'both', signers: 30, operations: (dev, round) => transfers(dev, 90, round, 1) },
  {
    what: 'a message as deep as it can be',
    signers: 1,
    operations: ({ parameters }, round) => {
      const json = `${'['.repeat(30)}"${'\\u00e9'.repeat(1200)}${round}"${']'.repeat(30)}`;
      return [
        customJson.of({
          fee: { amount: 1_000_000n, symbol: parameters.coinSymbol },
          sender: 'alice',
          recipients: ['bob'],
          app_id: 1n,
          json,
        }),
      ];
    },
  },
];

function transfers(
  { parameters: { coinSymbol: symbol } }: DevChain,
  count: number,
  round: number,
  memos: number,
): Operation[] {
  return Array.from({ length: count }, (_, index) =>
    transfer.of({
      fee: { amount: 10_000n, symbol },
      from: 'alice',
      to: 'bob',
      amount: { amount: BigInt(index + 1), symbol },
      memo: memos === 0 ? '' : `${round} ${index}`,
    }),
  );
}

/**
 * CPU-ms of a verifier for the post; the cheapest of several that differ, because what is known is not looked at again.
 */
export function measureVerifierMs(dev: DevChain, post: Post, rounds: number): number {
  const verifier = new BatchVerifier({
    parameters: dev.parameters,
    view: dev.chain.committed,
    clock: systemClock,
    handOver: () => {},
  });
  let best = Infinity;
  for (let round = 0; round < rounds; round++) {
    const batch = makeBatch(dev, post, round);
    const before = process.cpuUsage();
    verifier.verify(batch);
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1000);
  }
  return best;
}

function makeBatch(dev: DevChain, post: Post, round: number): Uint8Array {
  const { id, time } = dev.chain.head;
  const { profile, chainId } = dev.parameters;
  const operations = post.operations(dev, round);
  const unsigned = { ...blockReference(id), expiration: time + 3000, operations, extensions: [], signatures: [] };
  const secrets = Array.from({ length: post.signers }, (_, index) =>
    devSecret(index === 0 ? 'alice' : `signer ${index}`),
  );
  const signed = present(signTransaction(chainId, unsigned, secrets), 'signatures');
  const encoding = { ...profile, dialect: 'default', operationForm: 'pair' } as const;
  const params = Buffer.from(`{"trx":${writeJson(signedTransaction.toJson(signed, encoding))}}`);
  const out = new RawBatchWriter();
  out.add({
    method: 'network_broadcast_api.broadcast_transaction',
    senderId: 1,
    dialect: 'default',
    operationForm: 'pair',
    params,
  });
  return out.finish(0);
}
