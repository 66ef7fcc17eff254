import { Type } from '../../jsonrpc/typebox.ts';
import { witnessRecord, witnessRecordOf } from '../../queries/records/witness.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { namedRows } from './named_rows.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/params.ts';

/** The witnesses that these accounts own. */
export const findWitnesses = method({
  name: 'database_api.find_witnesses',
  doc: 'The witnesses that these accounts own. At most 1 000; where there is none, there is no record.',
  params: { owners: Type.Array(coded(accountName), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ witnesses: Type.Array(coded(witnessRecord)) }),
  example: { params: { owners: ['initminer'] } },
  stability: 'experimental',
  weight: { item: 0.1 },
  thread: 'read',
  handler: ({ owners }, call) => ({ witnesses: namedRows(call, witnesses, owners).map(witnessRecordOf) }),
});
