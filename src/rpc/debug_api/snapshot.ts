import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { hash160 } from '../../values/hash.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The head block, for reverting to it later. */
export const snapshot = method({
  name: 'debug_api.snapshot',
  doc: 'An id under which `revert` finds the present head block again. Costs nothing; what is pending is not part of it.',
  params: {},
  result: Type.Object({ id: coded(hash160) }),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { rows }) => ({ id: rows.only(dynamicGlobalProperties).head_block_id }),
});
