import { refusals } from '../base/refusal.ts';
import { headProperties } from '../state/chain_state.ts';
import { coins, INIT_MINER_ACCOUNT } from '../state/parameters.ts';
import { witnesses } from '../state/tables/witness.ts';
import { addWitness, lastProducerRefusals, requireOtherProducer, withUpdate } from '../state/witnesses.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { chainProperties } from '../values/chain_properties.ts';
import { NULL_KEY, publicKey } from '../values/public_key.ts';
import { sentAnyText } from '../values/limited_text.ts';
import { requireUtf8Url, urlNotUtf8 } from '../values/url_text.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  in_private_nets_only: {
    text: 'witnesses are appointed in private nets only, and this chain is none; use witness_update',
    lineage: 'this operation can be used only in private nets',
  },
});

/** Appoints or updates a witness of a private net. Price feeds have no meaning there. */
export const adminWitnessUpdate = operation({
  name: 'admin_witness_update',
  doc: 'Appoints a witness of a private net, or changes one, on behalf of the first witness. Of its members nothing is checked but that the URL is a text.',
  fields: paidBody({
    fee: asset,
    owner: accountName,
    url: sentAnyText,
    block_signing_key: publicKey,
    props: chainProperties,
  }),
  refuses: { texts: { ...refuse.texts, ...lastProducerRefusals, url_not_utf8: urlNotUtf8 } },
  feeAccount: (body) => body.owner,
  authorities: () => ({ active: [INIT_MINER_ACCOUNT] }),
  impacts: () => [INIT_MINER_ACCOUNT],
  signingKey: (body) => ({ witness: body.owner, key: body.block_signing_key }),

  validate({ url }, { rules }) {
    if (!rules.texts_of_any_bytes) requireUtf8Url(url);
  },

  apply(body, state) {
    const { owner, props } = body;
    if (!state.parameters.isPrivateNet) refuse.in_private_nets_only();
    if (body.block_signing_key === NULL_KEY) requireOtherProducer(state, owner);
    const witness = state.rows.get(witnesses, owner);
    if (witness === undefined) {
      addWitness(state, owner, body, headProperties(state).time);
    } else {
      // Accounts are free in a private net, so an existing witness's fee is set to 0; the lineage keeps a new witness's
      // fee as given.
      const free = { ...body, props: { ...props, account_creation_fee: coins(state.parameters, 0n) } };
      state.rows.put(witnesses, withUpdate(witness, free));
    }
  },
});
