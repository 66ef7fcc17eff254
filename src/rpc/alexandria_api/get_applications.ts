import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { applicationRecord } from '../../queries/records/application.ts';
import { applications } from '../../state/tables/application.ts';
import { applicationName } from '../../values/application_name.ts';
import { method } from '../method.ts';
import { LARGEST_PAGE } from '../../queries/paging.ts';
import { inChunks } from '../chunks.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Applications by their names. */
export const getApplications = method({
  name: 'alexandria_api.get_applications',
  doc: 'The applications of these names, in the order asked for; where there is none, there is no record.',
  params: { names: Type.Array(coded(applicationName), { maxItems: LARGEST_PAGE }) },
  result: Type.Object({ applications: Type.Array(coded(applicationRecord)) }),
  example: { params: { names: ['chat'] } },
  stability: 'stable',
  thread: 'read',
  weight: { item: 0.1 },
  handler: ({ names }, call) => ({
    applications: inChunks(call, names, (some) => call.rows.getMany(applications, some)),
  }),
});
