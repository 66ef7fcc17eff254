import { Type } from '../../jsonrpc/typebox.ts';
import type { Json } from '../../codec/json.ts';
import type { Notation } from '../../codec/notation.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { configuration } from './configuration.ts';
import { method } from '../method.ts';

/** The constants of the chain. */
export const getConfig = method({
  name: 'database_api.get_config',
  doc: 'The constants of the chain: what its genesis says and what the protocol fixes.',
  params: {},
  result: Type.Unsafe<Json>({ type: 'object', default: {} }),
  example: { params: {} },
  stability: 'experimental',
  thread: 'read',
  handler: (_, { parameters, notation }) => configOf(parameters, notation),
});

/** Names that begin with `_` are prefixed with the chain's word. */
function configOf(parameters: ChainParameters, notation: Notation): Json {
  const word = notation.word.toUpperCase();
  return Object.fromEntries(configuration(parameters, notation).map(([name, value]) => [name.startsWith('_') ? word + name : name, value]));
}
