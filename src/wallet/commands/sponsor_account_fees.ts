import { bool } from '../../codec/primitives.ts';
import { sponsorFees } from '../../operations/sponsor_fees.ts';
import { transactionCommand } from '../command.ts';
import { chainName } from '../params.ts';

/** Pays the fees of another account from now on, or no longer. */
export const sponsorAccountFeesCommand = transactionCommand({
  name: 'sponsor_account_fees',
  doc: 'Pays the fees of another account from now on, or no longer.',
  params: { sponsoring_account: chainName, sponsored_account: chainName, is_sponsoring: bool },
  example: 'sponsor_account_fees alice bob true true',
  makes: sponsorFees,
  operation: ({ sponsoring_account: sponsor, sponsored_account: sponsored, is_sponsoring }, { fee }) =>
    sponsorFees.of({ fee, sponsor, sponsored, is_sponsoring }),
});
