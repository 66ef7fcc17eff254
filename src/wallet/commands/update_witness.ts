import { quoted } from '../../base/refusal.ts';
import { text } from '../../codec/primitives.ts';
import { witnessUpdate } from '../../operations/witness_update.ts';
import { chainProperties } from '../../values/chain_properties.ts';
import type { AccountName } from '../../values/account_name.ts';
import { publicKey } from '../../values/public_key.ts';
import { transactionCommand } from '../command.ts';
import { member } from '../../client/chain_of_node.ts';
import { chainName } from '../params.ts';
import { requireConsent } from '../consent.ts';
import type { Wallet } from '../wallet.ts';

/** Makes an account a witness, or changes its witness. */
export const updateWitnessCommand = transactionCommand({
  name: 'update_witness',
  doc: 'Makes an account a witness, or changes its witness. An empty url keeps the one that it has.',
  params: { witness_account_name: chainName, url: text, block_signing_key: publicKey, props: chainProperties },
  example:
    'update_witness alice "https://alice.example" PHR6… {"account_creation_fee":"0.05 COIN","maximum_block_size":262144,"price_feeds":[]} true',
  makes: witnessUpdate,
  operation: async ({ witness_account_name: owner, url, block_signing_key, props }, { wallet, fee }) => {
    const kept = url === '' ? await knownUrl(wallet, owner) : url;
    return witnessUpdate.of({ fee, owner, url: kept, block_signing_key, props });
  },
});

/** The url that the witness has, by the word of the node. */
async function knownUrl(wallet: Wallet, owner: AccountName): Promise<string> {
  const url = member(await wallet.node.ask('get_witness', { owner_account: owner }, 'witness'), 'url');
  if (typeof url !== 'string' || url === '') return '';
  await requireConsent(wallet, `the url of witness ${owner} stays ${quoted(url)}`);
  return url;
}
