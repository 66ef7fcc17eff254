import { givenName } from '../../values/account_name.ts';
import { asset } from '../../values/asset.ts';
import { longMemo, memoText, transfer } from '../../operations/transfer.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildTransfer = method({
  name: 'alexandria_api.transfer',
  doc: 'Builds the operation that moves coins from one account to another.',
  params: { from: coded(givenName), to: coded(givenName), amount: coded(asset), memo: coded(memoText) },
  result: operationResult,
  example: { params: { from: 'alice', to: 'bob', amount: '1.000000 COIN', memo: '' } },
  stability: 'stable',
  refuses: longMemo,
  thread: 'read',
  handler: ({ from, to, amount, memo }, { parameters }) => ({
    op: transfer.of({ fee: noFee(parameters), from, to, amount, memo }),
  }),
});
