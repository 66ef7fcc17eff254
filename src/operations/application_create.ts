import { u8 } from '../codec/primitives.ts';
import {
  applicationKey,
  applicationRefusals,
  nextPlace,
  requireApplicationMetadata,
  requireApplicationName,
  requirePriceParam,
} from '../state/applications.ts';
import { refuseDuplicate, requireAccount } from '../state/lookups.ts';
import { applications } from '../state/tables/application.ts';
import { sentName } from '../values/application_name.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { sentText } from '../values/limited_text.ts';
import { requireUrl, urlText, urlRefusals } from '../values/url_text.ts';
import { operation, paidBody } from './operation.ts';

/** Registers an application under an unused name. */
export const applicationCreate = operation({
  name: 'application_create',
  doc: 'Registers an application under a name that is still free.',
  fields: paidBody({
    fee: asset,
    author: accountName,
    name: sentName,
    url: urlText,
    metadata: sentText,
    price_param: u8,
  }),
  refuses: { texts: { ...applicationRefusals, ...urlRefusals } },
  feeAccount: (body) => body.author,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.author] }),
  impacts: (body) => [body.author],

  validate({ name, url, metadata, price_param }, parameters) {
    requireApplicationName(name, parameters);
    requireUrl(url);
    requireApplicationMetadata(metadata);
    requirePriceParam(price_param);
  },

  apply({ author, name, url, metadata, price_param }, state) {
    requireAccount(state.rows, author);
    const key = applicationKey(name);
    const id = state.rows.nextId(applications);
    const author_place = nextPlace(state.rows, author);
    const isNew = state.rows.insert(applications, { id, name: key, author, author_place, url, metadata, price_param });
    if (!isNew) refuseDuplicate('application', key);
  },
});
