import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { method, type Method } from '../method.ts';

/** The names of all methods; `names` is evaluated at each call. */
export function getMethods(names: () => readonly string[]): Method {
  return method({
    name: 'jsonrpc.get_methods',
    doc: 'The names of all methods of this node, ascending.',
    params: {},
    result: Type.Array(Type.String()),
    example: { params: {} },
    stability: 'experimental',
    thread: 'read',
    handler: () => [...names()],
  });
}
