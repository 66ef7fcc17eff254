import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { chainPropertyRecord, makeDynamicGlobalPropertyRecord } from '../../queries/records/dynamic_global_property.ts';
import { averageBlockSize } from '../../queries/block_sizes.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The head of the chain. */
export const getDynamicGlobalProperties = method({
  name: 'alexandria_api.get_dynamic_global_properties',
  doc: 'The head of the chain: its number, id, time and producer, the supply, and what is irreversible.',
  params: {},
  result: Type.Object({ properties: coded(chainPropertyRecord) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, { rows, parameters }) => ({
    properties: { ...makeDynamicGlobalPropertyRecord(rows, parameters), average_block_size: averageBlockSize(rows) },
  }),
});
