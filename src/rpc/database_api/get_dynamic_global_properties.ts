import { dynamicGlobalPropertyRecord, dynamicGlobalPropertyRecordOf } from '../../state/records/dynamic_global_property.ts';
import { method } from '../method.ts';
import { coded } from '../params.ts';

/** The head of the chain. */
export const getDynamicGlobalProperties = method({
  name: 'database_api.get_dynamic_global_properties',
  doc: 'The head of the chain.',
  params: {},
  result: coded(dynamicGlobalPropertyRecord),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows, parameters }) => dynamicGlobalPropertyRecordOf(rows, parameters),
});
