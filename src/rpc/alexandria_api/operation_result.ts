import { Type } from '../../jsonrpc/typebox.ts';
import { operationCodec } from '../../operations/index.ts';
import { coins, type ChainParameters } from '../../state/parameters.ts';
import type { Asset } from '../../values/asset.ts';
import { coded } from '../../jsonrpc/params.ts';

/** What methods answer that build an operation. */
export const operationResult = Type.Object({ op: coded(operationCodec) });

/** The fee of an operation that is just being built; whoever builds the transaction fills it in. */
export function noFee(parameters: ChainParameters): Asset {
  return coins(parameters, 0n);
}
