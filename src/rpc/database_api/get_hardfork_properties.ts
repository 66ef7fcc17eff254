import { hardforkPropertyRecord, hardforkPropertyRecordOf } from '../../queries/records/hardfork_property.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';

/** Which hardforks were applied and when, and which one the witnesses agreed on next. */
export const getHardforkProperties = method({
  name: 'database_api.get_hardfork_properties',
  doc: 'Which hardforks were applied when, and which one the witnesses agreed on next.',
  params: {},
  result: coded(hardforkPropertyRecord),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows }) => hardforkPropertyRecordOf(rows),
});
