import { methodNames, signature } from '../../jsonrpc/openrpc.ts';
import type { Method, Methods } from '../method.ts';
import { getMethods } from './get_methods.ts';
import { getSignature } from './get_signature.ts';

/** The group that tells about all groups, itself included: `all` is asked when somebody calls. */
export function jsonrpc(all: () => Methods): readonly Method[] {
  return [getMethods(() => methodNames(all())), getSignature((name, notation) => signature(all(), name, notation))];
}
