import { Type } from '../../jsonrpc/typebox.ts';
import { speaksLineage } from '../../codec/notation.ts';
import { accountName, givenName } from '../../values/account_name.ts';
import { applicationUpdate } from '../../operations/application_update.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/params.ts';
import { priceParam } from './price_param.ts';

/** Builds an operation; it changes nothing. */
export const buildApplicationUpdate = method({
  name: 'alexandria_api.update_application',
  doc: 'Builds the operation that changes an application.',
  params: {
    author: coded(givenName),
    app_name: Type.String(),
    new_author: coded(accountName, { default: '', description: 'empty: the author stays' }),
    url: Type.String(),
    meta_data: Type.String(),
    price_param: coded(priceParam),
  },
  result: operationResult,
  example: { params: { author: 'alice', app_name: 'chat', new_author: 'bob', url: 'https://chat.example', meta_data: '', price_param: 0 } },
  stability: 'stable',
  thread: 'read',

  handler({ author, app_name, new_author: given, url, meta_data, price_param }, { parameters, notation }) {
    const new_author = given === '' && !speaksLineage(notation) ? author : given;
    return {
      op: applicationUpdate.of({ fee: noFee(parameters), author, new_author, name: app_name, url, metadata: meta_data, price_param }),
    };
  },
});
