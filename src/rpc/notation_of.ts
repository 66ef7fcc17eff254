import type { ChainWords, Notation } from '../codec/notation.ts';
import type { Dialect } from '../jsonrpc/dialect.ts';

/** The groups whose results show operations as `{type, value}`. */
const typedGroups: ReadonlySet<string> = new Set(['database_api', 'network_broadcast_api', 'chain_api']);

/** How values are written for a call of `group`. */
export function notationOf(words: ChainWords, group: string, dialect: Dialect): Notation {
  return { ...words, dialect: dialect.name, operationForm: dialect.name === 'default' && typedGroups.has(group) ? 'typed' : 'pair' };
}
