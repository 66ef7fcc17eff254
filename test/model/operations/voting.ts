import { require } from '../refusal.ts';
import { pairKey, type State } from '../state.ts';
import { adjustWitness, propagateAll, accountStake, votedWitnesses, voteWeight } from '../votes.ts';
import type { OperationRules, OperationTable } from './operation.ts';
import { checkKnown } from './validation.ts';

const LONGEST_PROXY_CHAIN = 4;

/** 7.8 */
const accountWitnessVote: OperationRules = {
  feeAccount: (body) => body.text('account'),
  authorities: (body) => ({ active: [body.text('account')] }),
  impacts: (body) => [body.text('account'), body.text('witness')],
  isPublicOnly: true,
  apply(body, state) {
    const [account, witness] = [body.text('account'), body.text('witness')];
    const voter = state.account(account);
    require(voter.proxy === '', 'A proxy is currently set, please clear the proxy before voting for a witness.');
    require(state.witnesses.has(witness), 'unknown key');
    const isThere = state.votes.has(pairKey(account, witness));
    if (isThere === body.flag('approve') && state.rules.repeatedVotesAreAccepted) return;
    if (isThere) {
      require(!body.flag('approve'), 'Vote currently exists, user must indicate a desire to reject witness.');
      adjustWitness(state, witness, -voteWeight(state, account));
      state.changeAccount(account, { votesCast: voter.votesCast - 1 });
      state.votes.delete(pairKey(account, witness));
    } else {
      require(body.flag('approve'), "Vote doesn't exist, user must indicate a desire to approve witness.");
      require(voter.votesCast < state.parameters.maxWitnessVotes, 'Account has voted for too many witnesses.');
      state.votes.set(pairKey(account, witness), { id: state.nextId('vote'), account, witness });
      adjustWitness(state, witness, voteWeight(state, account));
      state.changeAccount(account, { votesCast: voter.votesCast + 1 });
    }
  },
};

/** All votes for a witness that goes. */
export function removeWitnessVotes(state: State, owner: string): void {
  for (const { account, witness } of [...state.votes.values()]) {
    if (witness !== owner) continue;
    state.votes.delete(pairKey(account, witness));
    state.changeAccount(account, { votesCast: state.account(account).votesCast - 1 });
  }
}

/** 7.8 */
const accountWitnessProxy: OperationRules = {
  feeAccount: (body) => body.text('account'),
  authorities: (body) => ({ active: [body.text('account')] }),
  impacts: (body) => [body.text('account'), body.text('proxy')],
  isPublicOnly: true,
  validate: (body) => require(body.text('proxy') !== body.text('account'), 'Cannot proxy to self'),
  apply(body, state) {
    const [name, proxy] = [body.text('account'), body.text('proxy')];
    const account = state.account(name);
    require(account.proxy !== proxy, 'Proxy must change.');
    const weights = [accountStake(state, account), ...account.proxied];
    propagateAll(
      state,
      name,
      weights.map((weight) => -weight),
    );
    if (proxy !== '') {
      checkProxyChain(state, name, proxy);
      if (!state.rules.proxyKeepsVotes) removeVoterVotes(state, name);
    }
    state.changeAccount(name, { proxy });
    // With the proxy gone there are votes to count again only where they were kept.
    if (proxy !== '' || state.rules.proxyKeepsVotes) propagateAll(state, name, weights);
  },
};

function checkProxyChain(state: State, account: string, proxy: string): void {
  checkKnown(state, proxy);
  const chain = new Set([account, proxy]);
  for (let next = state.account(proxy).proxy; next !== ''; next = state.account(next).proxy) {
    require(!chain.has(next), 'This proxy would create a proxy loop.');
    chain.add(next);
    require(chain.size <= LONGEST_PROXY_CHAIN, 'Proxy chain is too long.');
  }
}

function removeVoterVotes(state: State, name: string): void {
  for (const witness of votedWitnesses(state, name)) state.votes.delete(pairKey(name, witness));
  state.changeAccount(name, { votesCast: 0 });
}

export const votingOperations: OperationTable = {
  account_witness_vote: accountWitnessVote,
  account_witness_proxy: accountWitnessProxy,
};
