import { refusals } from '../base/refusal.ts';
import { optional } from '../codec/collections.ts';
import { u8 } from '../codec/primitives.ts';
import {
  applicationRefusals,
  nextPlace,
  requireApplication,
  requireApplicationMetadata,
  requireApplicationName,
  requirePriceParam,
} from '../state/applications.ts';
import { requireAccount } from '../state/lookups.ts';
import { applications } from '../state/tables/application.ts';
import { sentName } from '../values/application_name.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { sentText } from '../values/limited_text.ts';
import { requireUrl, urlText, urlRefusals } from '../values/url_text.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  not_author: {
    text: 'the author of application {application} is {author}, not {given}',
    lineage: 'Provided author is not this application author',
  },
});

/** Updates an application, and may transfer it to another author, whose consent is not required. */
export const applicationUpdate = operation({
  name: 'application_update',
  doc: 'Changes what is known of an application; a new author need not agree. What is left out or empty stays as it is.',
  fields: paidBody({
    fee: asset,
    author: accountName,
    new_author: optional(accountName),
    name: sentName,
    url: urlText,
    metadata: sentText,
    price_param: optional(u8),
  }),
  refuses: { texts: { ...applicationRefusals, ...urlRefusals, ...refuse.texts } },
  feeAccount: (body) => body.author,
  feeRule: 'base',
  authorities: (body) => ({ active: [body.author] }),
  impacts: (body) => [body.author],

  validate({ name, url, metadata, price_param }, parameters) {
    requireApplicationName(name, parameters);
    requireUrl(url);
    requireApplicationMetadata(metadata);
    if (price_param !== undefined) requirePriceParam(price_param);
  },

  apply({ author, new_author, name, url, metadata, price_param }, state) {
    const application = requireApplication(state.rows, name);
    if (new_author !== undefined) requireAccount(state.rows, new_author);
    if (application.author !== author)
      refuse.not_author({ application: application.name, author: application.author, given: author });
    const isHandedOver = new_author !== undefined && new_author !== author;
    state.rows.put(applications, {
      ...application,
      ...(isHandedOver ? { author: new_author, author_place: nextPlace(state.rows, new_author) } : {}),
      url,
      metadata: metadata === '' ? application.metadata : metadata,
      price_param: price_param ?? application.price_param,
    });
  },
});
