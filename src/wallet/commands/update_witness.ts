import { text } from '../../codec/primitives.ts';
import { witnessUpdate } from '../../operations/witness_update.ts';
import { chainProperties } from '../../values/chain_properties.ts';
import { publicKey } from '../../values/public_key.ts';
import { transactionCommand } from '../command.ts';
import { member } from '../../client/chain_of_node.ts';
import { chainName } from '../params.ts';

/** Makes an account a witness, or changes its witness. */
export const updateWitnessCommand = transactionCommand({
  name: 'update_witness',
  doc: 'Makes an account a witness, or changes its witness. An empty url keeps the one that it has.',
  params: { witness_account_name: chainName, url: text, block_signing_key: publicKey, props: chainProperties },
  example:
    'update_witness alice "https://alice.example" PHR6… {"account_creation_fee":"0.05 COIN","maximum_block_size":262144,"price_feeds":[]} true',
  operation: async ({ witness_account_name: owner, url, block_signing_key, props }, { wallet, fee }) => {
    const known = url === '' ? member(await wallet.node.ask('get_witness', { owner_account: owner }, 'witness'), 'url') : undefined;
    return witnessUpdate.of({ fee, owner, url: typeof known === 'string' ? known : url, block_signing_key, props });
  },
});
