import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { u64 } from '../../codec/primitives.ts';
import { applicationRecord } from '../../queries/records/application.ts';
import { applications } from '../../state/tables/application.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { inChunks } from '../chunks.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Applications by their ids. */
export const getApplicationsByIds = method({
  name: 'alexandria_api.get_applications_by_ids',
  doc: 'The applications of these ids, in the order asked for; where there is none, there is no record.',
  params: { ids: Type.Array(coded(u64), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ applications: Type.Array(coded(applicationRecord)) }),
  example: { params: { ids: [0, 1] } },
  stability: 'stable',
  thread: 'read',
  weight: { item: 0.1 },
  handler: ({ ids }, call) => ({
    applications: inChunks(call, ids, (some) =>
      some.map((id) => call.rows.range(applications.by_id, { from: [id], to: [id], limit: 1 })[0]),
    ),
  }),
});
