import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { inMember, mismatch } from '../../codec/decode_error.ts';
import { speaksLineage } from '../../codec/encoding_options.ts';
import { longTexts, operationCodec } from '../../operations/index.ts';
import { assetCodec, assetText } from '../../values/asset.ts';
import { feeSymbols } from '../../values/profile.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { sampleOperation } from '../sample_transaction.ts';

/** The same operation with another fee. */
export const addFee = method({
  name: 'alexandria_api.add_fee',
  doc: 'The same operation with this fee, in COIN or in fiat.',
  params: { op: coded(operationCodec), fee: coded(assetCodec(feeSymbols)) },
  result: Type.Object({ op: coded(operationCodec) }),
  example: { params: { op: sampleOperation, fee: '0.020000 COIN' } },
  stability: 'stable',
  refuses: longTexts,
  thread: 'read',

  handler({ op, fee }, { parameters, encoding }) {
    const symbols = [...parameters.baseFees.keys()];
    const isFee = symbols.includes(fee.symbol) || speaksLineage(encoding);
    if (!isFee) inMember('fee', () => mismatch(`an amount in ${symbols.join(', ')}`, assetText(fee)));
    return { op: op.withFee(fee) };
  },
});
