import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { refusals } from '../../base/refusal.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { applicationRecord } from '../../queries/records/application.ts';
import { applications } from '../../state/tables/application.ts';
import { accountName, type AccountName } from '../../values/account_name.ts';
import { applicationName } from '../../values/application_name.ts';
import { optionalPair, along, byNames, bySingle, listParams, listRefusals, page } from './listing.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

const refuse = refusals({
  not_of_author: '{author} has no application {name}; begin with the author alone, or with another one',
});

/** The orders of the list. */
const ways = {
  by_name: bySingle(applicationName, byNames(applications), (name) => name),
  by_author: bySingle(optionalPair(accountName, applicationName), along(applications.by_author), (start, rows) =>
    start.length === 1 ? start : placeAmongOwn(rows, ...start),
  ),
};

/** An author has many applications, in the order of their acquisition. */
function placeAmongOwn(rows: CommittedRows, author: AccountName, name: AccountName): [AccountName, bigint] {
  const application = rows.get(applications, name);
  if (application?.author !== author) return refuse.not_of_author({ author, name });
  return [author, application.author_place];
}

/** All applications. */
export const listApplications = method({
  name: 'database_api.list_applications',
  doc: 'All applications. Page by page, the element at `start` included: in `by_author` an author, or `[author, name]` where the author has several.',
  params: listParams(ways),
  result: Type.Object({ applications: Type.Array(coded(applicationRecord)) }),
  example: { params: { start: '', limit: 10, order: 'by_name' } },
  stability: 'experimental',
  refuses: { ...listRefusals, ...refuse.texts },
  thread: 'read',
  handler: (list, call) => ({ applications: page(ways, list, call) }),
});
