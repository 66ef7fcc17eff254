import { refusals } from '../base/refusal.ts';
import type { AccountName } from '../values/account_name.ts';
import type { ChainState } from './chain_state.ts';
import { requireAccount } from './lookups.ts';
import { MAX_PROXY_RECURSION_DEPTH } from './parameters.ts';
import { accounts, type Account } from './tables/account.ts';
import { witnessVotes } from './tables/witness_vote.ts';
import { adjustProxiedVoteVector, ownVoteWeight, accountVotes } from './votes.ts';

const refuse = refusals({
  proxy_loop: {
    text: '{proxy} cannot be the proxy of {account}: the proxies would form a circle, {chain}',
    lineage: 'This proxy would create a proxy loop.',
  },
  proxy_chain_too_long: {
    text: 'with the proxy {proxy}, {account} would begin a chain of more than {most} proxies; choose one nearer to its end',
    lineage: 'Proxy chain is too long.',
  },
});

/** The refusals of `requireShortChain`. */
export const proxyRefusals = refuse.texts;

/** Refuses a proxy that would lead back to the account, or whose own proxies form too long a chain. */
export function requireShortChain(state: ChainState, account: AccountName, proxy: AccountName): void {
  const chain = new Set([account, proxy]);
  for (let next = requireAccount(state.rows, proxy).proxy; next !== ''; next = requireAccount(state.rows, next).proxy) {
    if (chain.has(next)) refuse.proxy_loop({ account, proxy, chain: [...chain, next] });
    chain.add(next);
    if (chain.size > MAX_PROXY_RECURSION_DEPTH)
      refuse.proxy_chain_too_long({ account, proxy, most: MAX_PROXY_RECURSION_DEPTH });
  }
}

/**
 * Lets `proxy` vote for the account, or the account itself if `proxy` is empty; votes proxied to the account move with
 * it.
 */
export function setProxy(state: ChainState, name: AccountName, proxy: AccountName): void {
  const before = requireAccount(state.rows, name);
  const weights = [ownVoteWeight(state, before), ...before.proxied_vsf_votes];
  adjustProxiedVoteVector(
    state,
    name,
    weights.map((weight) => -weight),
  );
  if (proxy !== '' && !state.parameters.rules.proxy_keeps_votes) deleteVotes(state, before);
  state.rows.put(accounts, { ...requireAccount(state.rows, name), proxy });
  adjustProxiedVoteVector(state, name, weights);
}

// Deleting a vote takes as long as reading this many.
const DELETED = 5;

function deleteVotes(state: ChainState, account: Account): void {
  const votes = accountVotes(state, account.name);
  state.consequences.countVotes(DELETED * votes.length);
  for (const { witness } of votes) state.rows.remove(witnessVotes, { account: account.name, witness });
  state.rows.put(accounts, { ...account, witnesses_voted_for: 0 });
  state.consequences.forgetChosen(account.name);
}
