import { refusals } from '../base/refusal.ts';
import { bool } from '../codec/primitives.ts';
import type { ChainState } from '../state/chain_state.ts';
import { requireAccount, requireRow } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { accounts } from '../state/tables/account.ts';
import { accountFeeSponsors, type AccountFeeSponsor } from '../state/tables/account_fee_sponsor.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  sponsored_already: {
    text: '{sponsor} pays the fees of {sponsored} already; that must end first',
    lineage: 'This account is already sponsored',
  },
  not_sponsoring: {
    text: '{sponsor} does not pay the fees of {sponsored}',
    lineage: 'You are not sponsoring this account',
  },
});

/** Starts or ends paying the fees of another account. The sponsored account ends it with an empty sponsor. */
export const sponsorFees = operation({
  name: 'sponsor_fees',
  doc: 'Takes over the fees of another account, or ends that. With an empty sponsor the sponsored account itself ends it.',
  fields: paidBody({ fee: asset, sponsor: accountName, sponsored: accountName, is_sponsoring: bool }),
  refuses: refuse,
  feeAccount: (body) => (body.sponsor === '' ? body.sponsored : body.sponsor),
  authorities: (body) => ({ active: [body.sponsor === '' ? body.sponsored : body.sponsor] }),
  impacts: (body) => (body.sponsor === '' ? [body.sponsored] : [body.sponsor, body.sponsored]),

  apply({ sponsor, sponsored, is_sponsoring }, state) {
    refuseInPrivateNet(state);
    if (sponsor === '') {
      endSponsorship(state, requireRow(state.rows, accountFeeSponsors, sponsored, sponsored));
      return;
    }
    requireAccount(state.rows, sponsor);
    requireAccount(state.rows, sponsored);
    const present = state.rows.get(accountFeeSponsors, sponsored);
    if (is_sponsoring) {
      if (present !== undefined) refuse.sponsored_already({ sponsor: present.sponsor, sponsored });
      beginSponsorship(state, { sponsor, sponsored });
    } else {
      endSponsorship(state, present?.sponsor === sponsor ? present : refuse.not_sponsoring({ sponsor, sponsored }));
    }
  },
});

function beginSponsorship(state: ChainState, sponsorship: AccountFeeSponsor): void {
  const sponsor = requireAccount(state.rows, sponsorship.sponsor);
  state.rows.put(accountFeeSponsors, sponsorship);
  state.rows.put(accounts, { ...sponsor, sponsoring: sponsor.sponsoring + 1 });
}

function endSponsorship(state: ChainState, sponsorship: AccountFeeSponsor): void {
  const sponsor = requireAccount(state.rows, sponsorship.sponsor);
  state.rows.remove(accountFeeSponsors, sponsorship.sponsored);
  state.rows.put(accounts, { ...sponsor, sponsoring: sponsor.sponsoring - 1 });
}
