import { givenName } from '../../values/account_name.ts';
import { applicationDelete } from '../../operations/application_delete.ts';
import { longName, sentName } from '../../values/application_name.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildApplicationDelete = method({
  name: 'alexandria_api.delete_application',
  doc: 'Builds the operation that removes an application.',
  params: { author: coded(givenName), app_name: coded(sentName) },
  result: operationResult,
  example: { params: { author: 'alice', app_name: 'chat' } },
  stability: 'stable',
  refuses: longName,
  thread: 'read',
  handler: ({ author, app_name }, { parameters }) => ({
    op: applicationDelete.of({ fee: noFee(parameters), author, name: app_name }),
  }),
});
