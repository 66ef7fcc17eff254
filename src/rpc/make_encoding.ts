import type { ChainSymbols, EncodingOptions } from '../codec/encoding_options.ts';
import type { Dialect } from '../jsonrpc/envelope/dialect.ts';

/** The groups whose results show operations as `{type, value}`. */
const typedGroups: ReadonlySet<string> = new Set(['database_api', 'network_broadcast_api', 'chain_api']);

/** Returns the encoding options of values in a call of `group`. */
export function makeEncoding(symbols: ChainSymbols, group: string, dialect: Dialect): EncodingOptions {
  return {
    ...symbols,
    dialect: dialect.name,
    operationForm: dialect.name === 'default' && typedGroups.has(group) ? 'typed' : 'pair',
  };
}
