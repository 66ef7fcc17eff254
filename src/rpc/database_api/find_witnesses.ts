import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { witnessRecord, makeWitnessRecord } from '../../queries/records/witness.ts';
import { witnesses } from '../../state/tables/witness.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { inChunks } from '../chunks.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

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
  handler: ({ owners }, call) => ({
    witnesses: inChunks(call, owners, (some) =>
      call.rows.getMany(witnesses, some).map((witness) => witness && makeWitnessRecord(witness)),
    ),
  }),
});
