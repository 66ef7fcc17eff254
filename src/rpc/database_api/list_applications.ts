import { Type } from '../../jsonrpc/typebox.ts';
import { applicationRecord } from '../../queries/records/application.ts';
import { applications } from '../../state/tables/application.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { applicationName } from '../../values/application_name.ts';
import { along, byNames, bySingle, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The orders of the list. */
const ways = {
  by_name: bySingle(applicationName, byNames(applications), (name) => name),
  by_author: bySingle(accountName, along(applications.by_author), (author): [AccountName] => [author]),
};

/** All applications. */
export const listApplications = method({
  name: 'database_api.list_applications',
  doc: 'All applications. Page by page, the element at `start` included.',
  params: listParams,
  result: Type.Object({ applications: Type.Array(coded(applicationRecord)) }),
  example: { params: { start: '', limit: 10, order: 'by_name' } },
  stability: 'experimental',
  refuses: listRefusals,
  thread: 'read',
  handler: (list, call) => ({ applications: page(ways, list, call) }),
});
