import { present } from '../../src/base/assert.ts';
import { accounts } from '../../src/state/tables/account.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { changeRecoveryAccountRequests } from '../../src/state/tables/change_recovery_account_request.ts';
import { deletedApplications } from '../../src/state/tables/deleted_application.ts';
import { economicModel, FIRST_PROTECTION_INDEX } from '../../src/state/tables/economic_model.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { stoppedWitnesses } from '../../src/state/tables/stopped_witness.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { idCounters } from '../../src/storage/id_counters.ts';
import { nameFromSeed, type AccountName } from '../../src/values/account_name.ts';
import type { Authority } from '../../src/values/authority.ts';
import { UINT128_MAX } from '../../src/values/limits.ts';
import { NULL_KEY, type PublicKey } from '../../src/values/public_key.ts';
import { blockScenario, dial, type Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const PERIOD = 2400n;
const SUPPLY = 350_000_000_000_000n;
const LARGEST: Authority = {
  weight_threshold: 1,
  account_auths: [],
  key_auths: Array.from({ length: 225 }, (_, index): [PublicKey, number] => [
    `02${index.toString(16).padStart(64, '0')}`,
    1,
  ]),
};

/** So many have what a witness must hold, if they have all coins. */
const MOST_WITNESSES = 1400;
/** The next block is the last of a round, which makes the next one's schedule. */
const LAST_OF_ROUND = { blocks: 50 };

/** Work that a block does by itself, while nobody pays for it. */
export const blockScenarios: readonly Scenario[] = [
  blockScenario(
    'withdrawals due: of accounts that vote',
    { accounts: dial(0, 200, 150), votes: dial(0, 60), witnesses: dial(60, 6000) },
    (stage, at) => {
      const due = { vesting_withdraw_rate: 1000n, to_withdraw: 1_000_000n, next_vesting_withdrawal: stage.now };
      stage.voters(at('accounts'), at('votes'), stage.witnesses(at('witnesses')), 'leaving', due);
    },
  ),
  blockScenario(
    'escrows lapsed: of accounts that vote',
    { escrows: dial(0, 200, 150), votes: dial(0, 60), witnesses: dial(60, 6000) },
    (stage, at) => {
      stage.voters(at('escrows'), at('votes'), stage.witnesses(at('witnesses')), 'waiting').forEach((from, index) =>
        stage.rows.put(escrows, {
          id: stage.rows.nextId(escrows),
          escrow_id: index,
          from,
          to: 'alice',
          agent: 'bob',
          ratification_deadline: stage.now,
          escrow_expiration: stage.now + 1,
          coin_balance: 10n,
          pending_fee: 1n,
          to_approved: false,
          agent_approved: false,
          disputed: false,
        }),
      );
    },
  ),
  blockScenario('offers of recovery expired: of 8 KiB', { offers: dial(0, 300, 200) }, (stage, at) => {
    for (let offer = 0; offer < at('offers'); offer++) {
      const id = stage.rows.nextId(accountRecoveryRequests);
      stage.rows.put(accountRecoveryRequests, {
        id,
        account_to_recover: nameFromSeed(`lost ${offer}`),
        new_owner_authority: LARGEST,
        expires: stage.now,
      });
    }
  }),
  blockScenario('former owners forgotten: of 8 KiB', { owners: dial(0, 300, 200) }, (stage, at) => {
    for (let owner = 0; owner < at('owners'); owner++) {
      const id = stage.rows.nextId(ownerAuthorityHistories);
      stage.rows.put(ownerAuthorityHistories, {
        id,
        account: nameFromSeed(`changed ${owner}`),
        previous_owner_authority: LARGEST,
        last_valid_time: 0,
      });
    }
  }),
  blockScenario('recovery accounts changed', { changes: dial(0, 300, 200) }, (stage, at) => {
    for (const account_to_recover of stage.accounts(at('changes'), 'changing')) {
      const id = stage.rows.nextId(changeRecoveryAccountRequests);
      stage.rows.put(changeRecoveryAccountRequests, {
        id,
        account_to_recover,
        recovery_account: 'bob',
        effective_on: stage.now,
      });
    }
  }),
  blockScenario(
    'votes of stopped witnesses removed',
    { votes: dial(0, 1000), witnesses: dial(1, 200, 1) },
    (stage, at) => {
      for (let index = 0; index < at('witnesses'); index++) {
        const owner = nameFromSeed(`stopped ${index}`);
        const id = stage.rows.nextId(stoppedWitnesses);
        stage.rows.put(stoppedWitnesses, { id, owner, votes_before: 1_000_000n, removed_up_to: '' });
      }
      for (let index = 0; index < at('votes'); index++) {
        const [witness, account] = [
          nameFromSeed(`stopped ${index % at('witnesses')}`),
          stage.account(`voter ${index}`, { witnesses_voted_for: 1 }),
        ];
        stage.rows.put(witnessVotes, { id: stage.rows.nextId(witnessVotes), witness, account });
      }
    },
    { rules: ['interface'] },
  ),
  blockScenario(
    'buyings of deleted applications removed',
    { buyings: dial(0, 1000), applications: dial(1, 200, 1) },
    (stage, at) => {
      for (let app = 0; app < at('applications'); app++) stage.rows.put(deletedApplications, { app_id: BigInt(app) });
      for (let index = 0; index < at('buyings'); index++) {
        const id = stage.rows.nextId(applicationBuyings);
        stage.rows.put(applicationBuyings, {
          id,
          buyer: nameFromSeed(`buyer ${index}`),
          app_id: BigInt(index % at('applications')),
          created: 0,
        });
      }
    },
  ),
  blockScenario(
    'interest: accounts with their turn in one block, that vote',
    { accounts: dial(0, 420), votes: dial(0, 60), witnesses: dial(60, 2000, 100) },
    (stage, at) => {
      // Ids below are left to those whose turn it is.
      stage.rows.put(idCounters, { table: accounts.number, next: 1_000_000_000n });
      const pool = stage.witnesses(at('witnesses'));
      const voters = stage.voters(at('accounts'), at('votes'), pool, 'earning', {
        holdings_considered_for_interests: 1_000_000_000_000_000n,
      });
      earn(stage, voters);
    },
    { rules: ['interface'], isShownOnly: true },
  ),
  ...[true, false].map((isSigning) =>
    blockScenario(
      `schedule: many witnesses, ${isSigning ? 'all of which' : 'few of which'} sign`,
      {
        witnesses: dial(0, MOST_WITNESSES, isSigning ? MOST_WITNESSES : 400),
        voted: dial(0, MOST_WITNESSES, isSigning ? 0 : 400),
      },
      (stage, at) => {
        for (let index = 0; index < at('witnesses'); index++) {
          const votes = index < at('voted') ? BigInt(1_000_000 + index) : 0n;
          const key = isSigning ? {} : { signing_key: NULL_KEY };
          stage.witness(`witness ${index}`, { votes, virtual_scheduled_time: UINT128_MAX / (votes + 1n), ...key });
        }
      },
      LAST_OF_ROUND,
    ),
  ),
];

/**
 * Gives these accounts ids whose turn for interest is the second block, as that of one of the first accounts is, and
 * lets protection owe them shares.
 */
function earn(stage: Stage, names: readonly AccountName[]): void {
  for (const [index, name] of names.entries()) {
    stage.rows.put(accounts, { ...present(stage.rows.get(accounts, name), name), id: 2n + PERIOD * BigInt(index + 1) });
  }
  const model = stage.rows.only(economicModel);
  const protection_index = FIRST_PROTECTION_INDEX + FIRST_PROTECTION_INDEX / 100n;
  stage.rows.put(economicModel, {
    ...model,
    accumulated_supply: SUPPLY * PERIOD,
    protection_index,
    protection_bound: SUPPLY,
  });
}
