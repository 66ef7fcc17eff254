import { present } from '../../base/assert.ts';
import { Type } from '../../jsonrpc/typebox.ts';
import type { Call, NetworkOperations } from '../services.ts';

/** The network, which nodes that serve these methods have. */
export function networkOf({ network }: Call): NetworkOperations {
  return present(network, 'a network, where methods that steer it are served');
}

/** What orders answer: nothing more than that they were carried out. */
export const done = Type.Object({});
