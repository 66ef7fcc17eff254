import { witnessUpdate } from '../../operations/witness_update.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { givenName } from '../../values/account_name.ts';
import { chainProperties } from '../../values/chain_properties.ts';
import { publicKey } from '../../values/public_key.ts';
import { longUrl, urlText } from '../../values/url_text.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildWitnessUpdate = method({
  name: 'alexandria_api.update_witness',
  doc: 'Builds the operation that makes an account a witness or changes its witness; an empty url keeps the one that it has.',
  params: {
    witness_account_name: coded(givenName),
    url: coded(urlText),
    block_signing_key: coded(publicKey),
    props: coded(chainProperties),
  },
  result: operationResult,
  example: {
    params: {
      witness_account_name: 'alice',
      url: 'https://alice.example',
      block_signing_key: 'PHR1111111111111111111111111111111114T1Anm',
      props: { account_creation_fee: '0.050000 COIN', maximum_block_size: 262144, price_feeds: [] },
    },
  },
  stability: 'stable',
  refuses: longUrl,
  thread: 'read',

  handler({ witness_account_name: owner, url, block_signing_key, props }, { rows, parameters }) {
    const known = url === '' ? rows.get(witnesses, owner)?.url : undefined;
    return { op: witnessUpdate.of({ fee: noFee(parameters), owner, url: known ?? url, block_signing_key, props }) };
  },
});
