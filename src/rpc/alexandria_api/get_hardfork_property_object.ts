import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { hardforkPropertyRecord, makeHardforkPropertyRecord } from '../../queries/records/hardfork_property.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The hardforks applied so far, and the next one. */
export const getHardforkPropertyObject = method({
  name: 'alexandria_api.get_hardfork_property_object',
  doc: 'Which hardforks were applied when, and which one the witnesses agreed on next: the current one while none is pending.',
  params: {},
  result: Type.Object({ hf_obj: coded(hardforkPropertyRecord) }),
  example: { params: {} },
  stability: 'stable',
  thread: 'read',
  handler: (_, { rows, encoding }) => ({ hf_obj: makeHardforkPropertyRecord(rows, !speaksLineage(encoding)) }),
});
