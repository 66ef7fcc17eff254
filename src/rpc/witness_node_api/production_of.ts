import { present } from '../../base/assert.ts';
import { Type } from '../../jsonrpc/typebox.ts';
import type { Call, ProductionOperations } from '../services.ts';

/** The production of blocks, which nodes that serve these methods have. */
export function productionOf({ production }: Call): ProductionOperations {
  return present(production, 'production, where methods that steer it are served');
}

/** What orders answer: nothing more than that they were carried out. */
export const carriedOut = Type.Object({});
