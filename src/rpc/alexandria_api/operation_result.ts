import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { operationCodec } from '../../operations/index.ts';
import { coins, type ChainParameters } from '../../state/parameters.ts';
import type { Asset } from '../../values/asset.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The result of methods that build an operation. */
export const operationResult = Type.Object({ op: coded(operationCodec) });

/** The fee of an operation that is being built; it is filled in when the transaction is built. */
export function noFee(parameters: ChainParameters): Asset {
  return coins(parameters, 0n);
}
