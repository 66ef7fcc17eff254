import { Type } from '../../jsonrpc/envelope/typebox.ts';
import type { Json } from '../../codec/json.ts';
import type { EncodingOptions } from '../../codec/encoding_options.ts';
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
  handler: (_, { parameters, encoding }) => makeConfig(parameters, encoding),
});

/** Names that begin with `_` are prefixed with the coin's name. */
function makeConfig(parameters: ChainParameters, encoding: EncodingOptions): Json {
  const word = encoding.coinName.toUpperCase();
  return Object.fromEntries(
    configuration(parameters, encoding).map(([name, value]) => [name.startsWith('_') ? word + name : name, value]),
  );
}
