import { optional } from '../../codec/collections.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import {
  dynamicGlobalPropertyRecord,
  makeDynamicGlobalPropertyRecord,
} from '../../queries/records/dynamic_global_property.ts';
import { averageBlockSize } from '../../queries/block_sizes.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The lineage did not show how large blocks are. */
const headRecord = struct({ ...dynamicGlobalPropertyRecord.fields, average_block_size: optional(u32) });

/** The head of the chain. */
export const getDynamicGlobalProperties = method({
  name: 'database_api.get_dynamic_global_properties',
  doc: 'The head of the chain.',
  params: {},
  result: coded(headRecord),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows, parameters, encoding }) => ({
    ...makeDynamicGlobalPropertyRecord(rows, parameters),
    average_block_size: speaksLineage(encoding) ? undefined : averageBlockSize(rows),
  }),
});
