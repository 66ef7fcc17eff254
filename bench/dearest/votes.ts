import { accountWitnessProxy } from '../../src/operations/account_witness_proxy.ts';
import { accountWitnessVote } from '../../src/operations/account_witness_vote.ts';
import { escrowTransfer } from '../../src/operations/escrow_transfer.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { transferToVesting } from '../../src/operations/transfer_to_vesting.ts';
import { withdrawVesting } from '../../src/operations/withdraw_vesting.ts';
import type { AccountName } from '../../src/values/account_name.ts';
import { dial, transactionScenario, type At, type Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

// Whoever holds shares moves the votes of up to 60 witnesses with each change of them; under `lineage` coins do the
// same.

const electorate = {
  accounts: dial(1, 90, 59),
  votes: dial(0, 60),
  witnesses: dial(60, 5400, 300),
  proxies: dial(0, 4, 0),
} as const;
type Electorate = keyof typeof electorate;

/** Accounts that vote, perhaps each through a chain of proxies. */
function electors(stage: Stage, at: At<Electorate>, seed = 'voter'): AccountName[] {
  const pool = stage.witnesses(seed === 'voter' ? at('witnesses') : 0);
  return makeElectors(stage, at, pool, seed);
}

function makeElectors(stage: Stage, at: At<Electorate>, pool: readonly AccountName[], seed: string): AccountName[] {
  let voters = stage.voters(at('accounts'), at('votes'), pool, seed);
  for (let depth = 0; depth < at('proxies'); depth++) {
    voters = voters.map((proxy, index) => stage.account(`${seed} ${index} behind ${depth}`, { proxy }));
  }
  return voters;
}

function pairs(stage: Stage, at: At<Electorate>): [AccountName, AccountName][] {
  const voters = electors(stage, at);
  return Array.from({ length: 90 }, (_, index) => [
    voters[(2 * index) % voters.length] ?? '',
    voters[(2 * index + 1) % voters.length] ?? '',
  ]);
}

export const voteScenarios: readonly Scenario[] = [
  transactionScenario(
    'transfer: among accounts that vote',
    { ...electorate, accounts: dial(2, 180, 59) },
    (stage, at) =>
      pairs(stage, at).map(([from, to], index) =>
        transfer.of({
          fee: stage.fee,
          from,
          to: to === from ? 'bob' : to,
          amount: stage.coins(BigInt(index + 1)),
          memo: '',
        }),
      ),
  ),
  transactionScenario('transfer_to_vesting: to accounts that vote', electorate, (stage, at) =>
    electors(stage, at).flatMap((to, _, all) =>
      Array.from({ length: Math.ceil(120 / all.length) }, (__, again) =>
        transferToVesting.of({ fee: stage.fee, from: 'alice', to, amount: stage.coins(BigInt(again + 1)) }),
      ),
    ),
  ),
  transactionScenario(
    'account_witness_proxy: set by accounts that vote',
    { ...electorate, accounts: dial(1, 120, 29) },
    (stage, at) => {
      const pool = stage.witnesses(at('witnesses'));
      const others = stage.voters(at('accounts'), at('votes'), pool, 'other');
      return makeElectors(stage, at, pool, 'voter').map((account, index) =>
        accountWitnessProxy.of({ fee: stage.fee, account, proxy: others[index] ?? '' }),
      );
    },
  ),
  transactionScenario(
    'account_witness_proxy: set and cleared again by one account',
    { votes: dial(0, 60) },
    (stage, at) => {
      const pool = stage.witnesses(120);
      const [account = '', proxy = ''] = stage.voters(2, at('votes'), pool);
      return Array.from({ length: 240 }, (_, turn) =>
        accountWitnessProxy.of({ fee: stage.fee, account, proxy: turn % 2 === 0 ? proxy : '' }),
      );
    },
  ),
  transactionScenario('account_witness_vote: for many witnesses', { accounts: dial(1, 110, 2) }, (stage, at) => {
    const pool = stage.witnesses(60);
    return stage
      .accounts(at('accounts'), 'voter')
      .flatMap((account) =>
        pool.map((witness) => accountWitnessVote.of({ fee: stage.fee, account, witness, approve: true })),
      );
  }),
  transactionScenario('withdraw_vesting: of many accounts', { accounts: dial(1, 130, 120) }, (stage, at) =>
    stage
      .accounts(at('accounts'), 'owner')
      .map((account) => withdrawVesting.of({ fee: stage.fee, account, vesting_shares: stage.vests(1_000_000n) })),
  ),
  transactionScenario(
    'escrow_transfer: of accounts that vote',
    { ...electorate, text: dial(0, 1000, 0) },
    (stage, at) => {
      const voters = electors(stage, at);
      return Array.from({ length: 90 }, (_, index) =>
        escrowTransfer.of({
          fee: stage.fee,
          from: voters[index % voters.length] ?? '',
          to: 'bob',
          agent: 'carol',
          coin_amount: stage.coins(1n),
          escrow_id: index,
          escrow_fee: stage.coins(1n),
          json_meta: `"${'x'.repeat(at('text'))}"`,
          ratification_deadline: stage.now + 1000,
          escrow_expiration: stage.now + 2000,
        }),
      );
    },
  ),
];
