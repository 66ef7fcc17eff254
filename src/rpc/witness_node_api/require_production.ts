import { present } from '../../base/assert.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import type { Call, ProductionOperations } from '../services.ts';

/** The production of blocks, which nodes that serve these methods have. */
export function requireProduction({ operator: { production } }: Call): ProductionOperations {
  return present(production, 'production, where methods that steer it are served');
}

/** The result of orders: nothing more than that they were carried out. */
export const carriedOut = Type.Object({});
