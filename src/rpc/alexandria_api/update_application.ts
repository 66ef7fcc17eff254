import { speaksLineage } from '../../codec/encoding_options.ts';
import { accountName, givenName } from '../../values/account_name.ts';
import { applicationUpdate } from '../../operations/application_update.ts';
import { sentText } from '../../values/limited_text.ts';
import { longUrl, urlText } from '../../values/url_text.ts';
import { longName, sentName } from '../../values/application_name.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { priceParam } from './price_param.ts';

/** Builds an operation; it changes nothing. */
export const buildApplicationUpdate = method({
  name: 'alexandria_api.update_application',
  doc: 'Builds the operation that changes an application.',
  params: {
    author: coded(givenName),
    app_name: coded(sentName),
    new_author: coded(accountName, { default: '', description: 'empty: the author stays' }),
    url: coded(urlText),
    meta_data: coded(sentText),
    price_param: coded(priceParam),
  },
  result: operationResult,
  example: {
    params: {
      author: 'alice',
      app_name: 'chat',
      new_author: 'bob',
      url: 'https://chat.example',
      meta_data: '',
      price_param: 0,
    },
  },
  stability: 'stable',
  refuses: { ...longName, ...longUrl },
  thread: 'read',

  handler({ author, app_name, new_author: given, url, meta_data, price_param }, { parameters, encoding }) {
    const new_author = given === '' && !speaksLineage(encoding) ? author : given;
    return {
      op: applicationUpdate.of({
        fee: noFee(parameters),
        author,
        new_author,
        name: app_name,
        url,
        metadata: meta_data,
        price_param,
      }),
    };
  },
});
