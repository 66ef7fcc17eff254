import { present } from '../base/assert.ts';
import { signTransaction } from '../blocks/sign_transaction.ts';
import { transferToVesting } from '../operations/transfer_to_vesting.ts';
import { witnessUpdate } from '../operations/witness_update.ts';
import type { Services } from '../rpc/services.ts';
import { coins, INIT_MINER_ACCOUNT } from '../state/parameters.ts';
import { dynamicGlobalProperties } from '../state/tables/dynamic_global_property.ts';
import { witnesses } from '../state/tables/witness.ts';
import type { AccountName } from '../values/account_name.ts';
import { blockReference } from '../values/block_reference.ts';
import { deriveDevKey, devSecret } from './dev_genesis.ts';

const EXPIRATION_SECONDS = 600;
/** More than any operation of this size costs, in millionths. */
const FEE = 100_000n;

/**
 * Makes witnesses of these accounts, as far as they are none, with ordinary transactions. All sign with the key of
 * initminer, so this node makes the blocks of all.
 */
export async function makeDevWitnesses(services: Services, names: readonly AccountName[], seed: string): Promise<void> {
  const missing = names.filter((name) => services.rows.get(witnesses, name) === undefined);
  await Promise.all(missing.map(async (name) => await makeWitness(services, name, seed)));
}

async function makeWitness({ rows, parameters, intake }: Services, owner: AccountName, seed: string): Promise<void> {
  const { genesis, minAccountCreationFee, minBlockSizeLimit } = parameters;
  const head = rows.only(dynamicGlobalProperties);
  const fee = coins(parameters, FEE);
  const amount = coins(parameters, genesis.final_witness_req_vesting_balance);
  const props = {
    account_creation_fee: coins(parameters, minAccountCreationFee),
    maximum_block_size: minBlockSizeLimit * 2,
    price_feeds: [],
  };
  const block_signing_key = deriveDevKey(INIT_MINER_ACCOUNT, seed);
  const transaction = {
    ...blockReference(head.head_block_id),
    expiration: head.time + EXPIRATION_SECONDS,
    operations: [
      transferToVesting.of({ fee, from: owner, to: owner, amount }),
      witnessUpdate.of({ fee, owner, url: `https://${owner}.example`, block_signing_key, props }),
    ],
    extensions: [],
    signatures: [],
  };
  const signed = signTransaction(parameters.chainId, transaction, [devSecret(owner, seed)]);
  await intake.pushTransaction(present(signed, 'a signature'));
}
