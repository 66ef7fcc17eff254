import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accountBandwidthRecord } from '../../queries/records/account_bandwidth.ts';
import { accountBandwidths } from '../../state/tables/account_bandwidth.ts';
import { accountName } from '../../values/account_name.ts';
import { method } from '../method.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';

/** The free use of an account. */
export const getAccountBandwidth = method({
  name: 'account_bandwidth_api.get_account_bandwidth',
  doc: 'What an account did without a fee since its counters were reset; no member when it never did.',
  params: { account: coded(accountName) },
  result: Type.Object({ bandwidth: Type.Optional(coded(accountBandwidthRecord)) }),
  example: { params: { account: 'alice' } },
  stability: 'experimental',
  thread: 'read',

  handler({ account }, { rows }) {
    const bandwidth = rows.get(accountBandwidths, account);
    return bandwidth === undefined ? {} : { bandwidth };
  },
});
