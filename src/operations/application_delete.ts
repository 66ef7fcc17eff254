import { refusals } from '../base/refusal.ts';
import { text } from '../codec/primitives.ts';
import { struct } from '../codec/struct.ts';
import { applicationNameRefusals, requireApplication, requireApplicationName } from '../state/applications.ts';
import type { ChainState } from '../state/chain_state.ts';
import { applications } from '../state/tables/application.ts';
import { applicationBuyings } from '../state/tables/application_buying.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation } from './operation.ts';

const refuse = refusals({ not_author: 'Provided author is not this applcation author' });

/** Removes an application and all its buyings. */
export const applicationDelete = operation({
  name: 'application_delete',
  doc: 'Removes an application and everything that was bought of it.',
  fields: struct({ fee: asset, author: accountName, name: text }),
  refuses: { texts: { ...applicationNameRefusals, ...refuse.texts } },
  feeAccount: (body) => body.author,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.author] }),
  impacts: (body) => [body.author],

  validate({ name }) {
    requireApplicationName(name);
  },

  apply({ author, name }, state) {
    const application = requireApplication(state.rows, name);
    if (application.author !== author) refuse.not_author();
    removeBuyings(state, application.id);
    state.rows.remove(applications, application.name);
  },
});

const BUYINGS_AT_ONCE = 256; // bounds what is held in memory; all of them go

function removeBuyings(state: ChainState, appId: bigint): void {
  for (;;) {
    const buyings = state.rows.range(applicationBuyings.by_app_id, { from: [appId], to: [appId], limit: BUYINGS_AT_ONCE });
    for (const { buyer, app_id } of buyings) state.rows.remove(applicationBuyings, { buyer, app_id });
    if (buyings.length < BUYINGS_AT_ONCE) return;
  }
}
