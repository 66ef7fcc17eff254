import { refusals } from '../base/refusal.ts';
import { requireAccount } from '../state/lookups.ts';
import { refuseInPrivateNet } from '../state/private_net.ts';
import { proxyRefusals, requireShortChain, setProxy } from '../state/proxies.ts';
import { accountName } from '../values/account_name.ts';
import { asset } from '../values/asset.ts';
import { operation, paidBody } from './operation.ts';

const refuse = refusals({
  proxy_is_self: {
    text: '{account} cannot be its own proxy; an empty proxy ends the proxying',
    lineage: 'Cannot proxy to self',
  },
  proxy_unchanged: { text: 'the proxy of {account} is {proxy} already', lineage: 'Proxy must change.' },
});

/** Lets another account vote on behalf of this one; an empty proxy ends that. */
export const accountWitnessProxy = operation({
  name: 'account_witness_proxy',
  doc: 'Lets another account vote for this one, with all that others proxied to it; an empty proxy ends that.',
  fields: paidBody({ fee: asset, account: accountName, proxy: accountName }),
  refuses: { texts: { ...refuse.texts, ...proxyRefusals } },
  feeAccount: (body) => body.account,
  authorities: (body) => ({ active: [body.account] }),
  impacts: (body) => [body.account, body.proxy],

  validate({ account, proxy }) {
    if (proxy === account) refuse.proxy_is_self({ account });
  },

  apply({ account, proxy }, state) {
    refuseInPrivateNet(state);
    if (requireAccount(state.rows, account).proxy === proxy) refuse.proxy_unchanged({ account, proxy });
    if (proxy !== '') requireShortChain(state, account, proxy);
    setProxy(state, account, proxy);
  },
});
