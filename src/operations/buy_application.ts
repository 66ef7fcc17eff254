import { refusals } from '../base/refusal.ts';
import { i64 } from '../codec/primitives.ts';
import { requireApplicationWithId } from '../state/applications.ts';
import { headProperties } from '../state/chain_state.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { applicationBuyings } from '../state/tables/application_buying.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  bought_already: { text: '{buyer} has bought application {app_id} already', lineage: 'This buying already exisit' },
});

/** Records that an account bought an application. The price is paid elsewhere. */
export const buyApplication = operation({
  name: 'buy_application',
  doc: 'Notes that an account bought an application. The price is not paid by this operation.',
  fields: paidBody({ fee: asset, buyer: accountName, app_id: i64 }),
  refuses: refuse,
  feeAccount: (body) => body.buyer,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.buyer] }),
  impacts: (body) => [body.buyer],

  apply({ buyer, app_id }, state) {
    refuseInPrivateNet(state);
    requireApplicationWithId(state, app_id);
    const id = state.rows.nextId(applicationBuyings);
    if (!state.rows.insert(applicationBuyings, { id, buyer, app_id, created: headProperties(state).time }))
      refuse.bought_already({ buyer, app_id });
  },
});
