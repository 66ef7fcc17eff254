import { methodNames, signature } from '../../jsonrpc/envelope/openrpc.ts';
import type { Method, Methods } from '../method.ts';
import { getMethods } from './get_methods.ts';
import { getSignature } from './get_signature.ts';

/** The group that describes all groups, including itself: `all` is evaluated at each call. */
export function jsonrpc(all: () => Methods): readonly Method[] {
  return [getMethods(() => methodNames(all())), getSignature((name, encoding) => signature(all(), name, encoding))];
}
