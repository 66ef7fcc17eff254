import { givenName } from '../../values/account_name.ts';
import { applicationCreate } from '../../operations/application_create.ts';
import { sentText } from '../../values/limited_text.ts';
import { longUrl, urlText } from '../../values/url_text.ts';
import { longName, sentName } from '../../values/application_name.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { priceParam } from './price_param.ts';

/** Builds an operation; it changes nothing. */
export const buildApplicationCreate = method({
  name: 'alexandria_api.create_application',
  doc: 'Builds the operation that registers an application; price_param is 0 for permanent, 1 for time based.',
  params: {
    author: coded(givenName),
    app_name: coded(sentName),
    url: coded(urlText),
    meta_data: coded(sentText),
    price_param: coded(priceParam),
  },
  result: operationResult,
  example: {
    params: { author: 'alice', app_name: 'chat', url: 'https://chat.example', meta_data: '', price_param: 0 },
  },
  stability: 'stable',
  refuses: { ...longName, ...longUrl },
  thread: 'read',
  handler: ({ author, app_name, url, meta_data, price_param }, { parameters }) => ({
    op: applicationCreate.of({ fee: noFee(parameters), author, name: app_name, url, metadata: meta_data, price_param }),
  }),
});
