import { refusals } from '../base/refusal.ts';
import { i64 } from '../codec/primitives.ts';
import { requireApplicationWithId } from '../state/applications.ts';
import { requireRow } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { applicationBuyings } from '../state/tables/application_buying.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  not_author: {
    text: 'the author of application {app_id} is {author}, not {given}',
    lineage: 'Provided app author is not this applcation author',
  },
});

/** Cancels a purchase; only the application's author can, not the buyer. */
export const cancelApplicationBuying = operation({
  name: 'cancel_application_buying',
  doc: 'Takes a buying of an application back, on behalf of the application’s author.',
  fields: paidBody({ fee: asset, app_owner: accountName, buyer: accountName, app_id: i64 }),
  refuses: refuse,
  feeAccount: (body) => body.app_owner,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.app_owner] }),
  impacts: (body) => [body.app_owner],

  apply({ app_owner, buyer, app_id }, state) {
    refuseInPrivateNet(state);
    const application = requireApplicationWithId(state, app_id);
    requireRow(state.rows, applicationBuyings, { buyer, app_id }, `${buyer}/${app_id}`);
    if (application.author !== app_owner) refuse.not_author({ app_id, author: application.author, given: app_owner });
    state.rows.remove(applicationBuyings, { buyer, app_id });
  },
});
