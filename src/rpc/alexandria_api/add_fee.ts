import { Type } from '../../jsonrpc/typebox.ts';
import { operationCodec } from '../../operations/index.ts';
import { asset } from '../../values/asset.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/params.ts';
import { sampleOperation } from '../sample_transaction.ts';

/** The same operation with another fee. */
export const addFee = method({
  name: 'alexandria_api.add_fee',
  doc: 'The same operation with this fee.',
  params: { op: coded(operationCodec), fee: coded(asset) },
  result: Type.Object({ op: coded(operationCodec) }),
  example: { params: { op: sampleOperation, fee: '0.020000 COIN' } },
  stability: 'stable',
  thread: 'read',
  handler: ({ op, fee }) => ({ op: op.withFee(fee) }),
});
