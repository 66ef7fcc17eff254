import { present } from '../../base/assert.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import type { Call, NetworkOperations } from '../services.ts';

/** The network, which nodes that serve these methods have. */
export function requireNetwork({ operator: { network } }: Call): NetworkOperations {
  return present(network, 'a network, where methods that steer it are served');
}

/** The result of orders: nothing more than that they were carried out. */
export const done = Type.Object({});

/** The name of a host has at most 253 characters, and the id of a node 64 digits. */
export const LONGEST_ENDPOINT = 512;
