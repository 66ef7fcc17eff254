import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { givenName } from '../../values/account_name.ts';
import { sponsorFees } from '../../operations/sponsor_fees.ts';
import { method } from '../method.ts';
import { noFee, operationResult } from './operation_result.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** Builds an operation; it changes nothing. */
export const buildSponsorFees = method({
  name: 'alexandria_api.sponsor_account_fees',
  doc: 'Builds the operation that starts or stops paying the fees of another account.',
  params: { sponsoring_account: coded(givenName), sponsored_account: coded(givenName), is_sponsoring: Type.Boolean() },
  result: operationResult,
  example: { params: { sponsoring_account: 'alice', sponsored_account: 'bob', is_sponsoring: true } },
  stability: 'stable',
  thread: 'read',
  handler: ({ sponsoring_account, sponsored_account, is_sponsoring }, { parameters }) => ({
    op: sponsorFees.of({
      fee: noFee(parameters),
      sponsor: sponsoring_account,
      sponsored: sponsored_account,
      is_sponsoring,
    }),
  }),
});
