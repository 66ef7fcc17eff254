import { Type } from '../../jsonrpc/typebox.ts';
import { inMember, mismatch } from '../../codec/decode_error.ts';
import { speaksLineage } from '../../codec/notation.ts';
import { operationCodec } from '../../operations/index.ts';
import { asset, assetText } from '../../values/asset.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';
import { sampleOperation } from '../sample_transaction.ts';

/** The same operation with another fee. */
export const addFee = method({
  name: 'alexandria_api.add_fee',
  doc: 'The same operation with this fee, in COIN or in fiat.',
  params: { op: coded(operationCodec), fee: coded(asset) },
  result: Type.Object({ op: coded(operationCodec) }),
  example: { params: { op: sampleOperation, fee: '0.020000 COIN' } },
  stability: 'stable',
  thread: 'read',

  handler({ op, fee }, { parameters, notation }) {
    const symbols = [...parameters.baseFees.keys()];
    const isFee = symbols.includes(fee.symbol) || speaksLineage(notation);
    if (!isFee) inMember('fee', () => mismatch(`an amount in ${symbols.join(', ')}`, assetText(fee)));
    return { op: op.withFee(fee) };
  },
});
