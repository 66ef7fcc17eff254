import { present } from '../base/assert.ts';
import { ByteWriter } from '../codec/bytes.ts';
import { u32 } from '../codec/primitives.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import type { SignedTransaction } from '../blocks/transaction.ts';
import { witnessSetProperties } from '../operations/witness_set_properties.ts';
import type { Services } from '../rpc/services.ts';
import { coins, INIT_MINER_ACCOUNT } from '../state/parameters.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { witnesses } from '../state/tables/witness.ts';
import { blockReference } from '../values/block_reference.ts';
import { deriveDevKey, devSecret } from './dev_genesis.ts';

const EXPIRATION_SECONDS = 600;

/**
 * Lets the development witness vote for a block size, with an ordinary transaction, which can be refused like any
 * other.
 */
export async function voteForBlockSize(services: Services, bytes: number, seed: string): Promise<void> {
  const witness = services.rows.get(witnesses, INIT_MINER_ACCOUNT);
  if (witness === undefined || witness.maximum_block_size === bytes) return;
  const secrets = [devSecret(INIT_MINER_ACCOUNT, seed)];
  const signed = signTransaction(services.parameters.chainId, makeTransaction(services, bytes, seed), secrets);
  await services.intake.pushTransaction(present(signed, 'a signature'));
}

function makeTransaction({ rows, parameters }: Services, bytes: number, seed: string): SignedTransaction {
  const head = rows.only(dynamicGlobalProperties);
  const size = new ByteWriter(4);
  u32.write(size, bytes);
  const props = [
    ['key', deriveDevKey(INIT_MINER_ACCOUNT, seed)],
    ['maximum_block_size', Buffer.from(size.view()).toString('hex')],
  ] as const;
  return {
    ...blockReference(head.head_block_id),
    expiration: head.time + EXPIRATION_SECONDS,
    operations: [
      witnessSetProperties.of({ fee: coins(parameters, 0n), owner: INIT_MINER_ACCOUNT, props, extensions: [] }),
    ],
    extensions: [],
    signatures: [],
  };
}
