import { accountCreate } from '../../src/operations/account_create.ts';
import { accountDelete } from '../../src/operations/account_delete.ts';
import { accountUpdate } from '../../src/operations/account_update.ts';
import { applicationCreate } from '../../src/operations/application_create.ts';
import { applicationDelete } from '../../src/operations/application_delete.ts';
import { applicationUpdate } from '../../src/operations/application_update.ts';
import { buyApplication } from '../../src/operations/buy_application.ts';
import { cancelApplicationBuying } from '../../src/operations/cancel_application_buying.ts';
import { changeRecoveryAccount } from '../../src/operations/change_recovery_account.ts';
import { custom } from '../../src/operations/custom.ts';
import { customBinary } from '../../src/operations/custom_binary.ts';
import { customJson } from '../../src/operations/custom_json.ts';
import { escrowApprove } from '../../src/operations/escrow_approve.ts';
import { escrowDispute } from '../../src/operations/escrow_dispute.ts';
import { escrowRelease } from '../../src/operations/escrow_release.ts';
import { feedPublish } from '../../src/operations/feed_publish.ts';
import { recoverAccount } from '../../src/operations/recover_account.ts';
import { requestAccountRecovery } from '../../src/operations/request_account_recovery.ts';
import { resetAccount } from '../../src/operations/reset_account.ts';
import { setResetAccount } from '../../src/operations/set_reset_account.ts';
import { sponsorFees } from '../../src/operations/sponsor_fees.ts';
import { transfer } from '../../src/operations/transfer.ts';
import { transferFromPromotionPool } from '../../src/operations/transfer_from_promotion_pool.ts';
import { witnessSetProperties } from '../../src/operations/witness_set_properties.ts';
import { witnessStop } from '../../src/operations/witness_stop.ts';
import { witnessUpdate } from '../../src/operations/witness_update.ts';
import { accountRecoveryRequests } from '../../src/state/tables/account_recovery_request.ts';
import { accountFeeSponsors } from '../../src/state/tables/account_fee_sponsor.ts';
import { applicationBuyings } from '../../src/state/tables/application_buying.ts';
import { applications } from '../../src/state/tables/application.ts';
import { escrows } from '../../src/state/tables/escrow.ts';
import { ownerAuthorityHistories } from '../../src/state/tables/owner_authority_history.ts';
import { witnessVotes } from '../../src/state/tables/witness_vote.ts';
import { applicationKey } from '../../src/state/applications.ts';
import { compareNames, nameFromSeed, type AccountName } from '../../src/values/account_name.ts';
import { keyAuthority, type Authority } from '../../src/values/authority.ts';
import { NULL_KEY, type PublicKey } from '../../src/values/public_key.ts';
import { dial, transactionScenario, type Scenario } from './scenario.ts';
import type { Stage } from './stage.ts';

const DAY = 86_400;
/** Every signer may send this many operations without a fee. */
const FREE_OPERATIONS = 100;
const FIAT = ['CHF', 'CNY', 'EUR', 'GBP', 'USD'];

/** As many operations as certainly fill a transaction. */
function many<T>(most: number, one: (index: number) => T): T[] {
  return Array.from({ length: most }, (_, index) => one(index));
}

function someKey(index: number): PublicKey {
  return `02${index.toString(16).padStart(64, '0')}`;
}

/** An authority of alice's key and so many others, and so many accounts. */
function wide(stage: Stage, keys: number, names: readonly AccountName[]): Authority {
  const others = many(keys, (index): [PublicKey, number] => [someKey(index), 1]);
  const own: [PublicKey, number] = [stage.key, 1];
  const key_auths = [...others, own].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { weight_threshold: 1, account_auths: names.toSorted(compareNames).map((name) => [name, 1]), key_auths };
}

/** Valid JSON as deep as it is allowed to be or as the dial says. */
function nested(depth: number, length: number): string {
  const inside = length - 2 * depth;
  return '['.repeat(depth) + (inside > 2 ? `"${'é'.repeat(Math.trunc((inside - 2) / 2))}"` : '0') + ']'.repeat(depth);
}

function usd(stage: Stage, symbol: string, amount: number) {
  return { base: stage.coins(BigInt(amount)), quote: { amount: 1_000_003n, symbol } };
}

const authorityDials = { keys: dial(0, 220), accounts: dial(0, 255, 0), operations: dial(1, 100, 1) } as const;

export const kindScenarios: readonly Scenario[] = [
  transactionScenario('account_create: an authority of keys or accounts', authorityDials, (stage, at) => {
    const named = stage.accounts(at('accounts'), 'named');
    const authority = wide(stage, at('keys'), named);
    return many(at('operations'), (index) =>
      accountCreate.of({
        fee: stage.coins(2_000_000n),
        creator: 'alice',
        name_seed: `new ${index}`,
        owner: authority,
        active: { ...keyAuthority(stage.key), weight_threshold: 0 },
        memo_key: stage.key,
        json_metadata: '',
      }),
    );
  }),
  transactionScenario(
    'account_create: deep metadata',
    { depth: dial(0, 3500, 30), length: dial(2, 7800) },
    (stage, at) => [
      accountCreate.of({
        fee: stage.coins(2_000_000n),
        creator: 'alice',
        name_seed: 'new',
        owner: keyAuthority(stage.key),
        active: keyAuthority(stage.key),
        memo_key: stage.key,
        json_metadata: nested(at('depth'), at('length')),
      }),
    ],
  ),
  transactionScenario(
    'account_update: all keys of an account',
    { ...authorityDials, before: dial(0, 220) },
    (stage, at) => {
      const named = stage.accounts(at('accounts'), 'named');
      const before = { ...wide(stage, at('before'), []), weight_threshold: 1 };
      return many(at('operations'), (index) => {
        const account = stage.account(`updated ${index}`, {}, before);
        const active = { ...wide(stage, at('keys'), named), weight_threshold: 2 + index };
        const next = {
          ...active,
          key_auths: active.key_auths.map(([key, weight]): [PublicKey, number] => [`03${key.slice(2)}`, weight]),
        };
        return accountUpdate.of({
          fee: stage.fee,
          account,
          owner: undefined,
          active: next,
          memo_key: NULL_KEY,
          json_metadata: '',
        });
      });
    },
  ),
  transactionScenario(
    'account_delete: of accounts with many keys',
    { keys: dial(0, 220), accounts: dial(1, 125, 4) },
    (stage, at) => {
      const authority = wide(stage, at('keys'), []);
      return many(at('accounts'), (index) =>
        accountDelete.of({ fee: stage.fee, account: stage.account(`deleted ${index}`, {}, authority) }),
      );
    },
  ),
  transactionScenario(
    'witness_update: of many witnesses',
    { witnesses: dial(1, 60), url: dial(1, 2000, 1), feeds: dial(0, 5) },
    (stage, at) =>
      stage.witnesses(at('witnesses')).map((owner) =>
        witnessUpdate.of({
          fee: stage.fee,
          owner,
          url: 'u'.repeat(at('url')),
          block_signing_key: stage.key,
          props: {
            account_creation_fee: stage.coins(1_000_000n),
            maximum_block_size: 262_144,
            price_feeds: FIAT.slice(0, at('feeds')).map((symbol): [string, ReturnType<typeof usd>] => [
              symbol,
              usd(stage, symbol, 7),
            ]),
          },
        }),
      ),
  ),
  transactionScenario(
    'witness_stop: with many votes',
    { witnesses: dial(1, 125), votes: dial(0, 5000) },
    (stage, at) => {
      const owners = stage.witnesses(at('witnesses'));
      for (let index = 0; index < at('votes'); index++) {
        stage.rows.put(witnessVotes, {
          id: stage.rows.nextId(witnessVotes),
          witness: owners[index % owners.length] ?? '',
          account: nameFromSeed(`voter ${index}`),
        });
      }
      return owners.map((owner) => witnessStop.of({ fee: stage.fee, owner }));
    },
  ),
  transactionScenario(
    'witness_set_properties: large ones',
    { operations: dial(1, 200, 1), prices: dial(0, 240) },
    (stage, at) => {
      const owner = stage.witness('witness');
      const asset = (amount: bigint, symbol: string): string => {
        const bytes = Buffer.alloc(16);
        bytes.writeBigInt64LE(amount);
        bytes.write(symbol, 8, 'latin1');
        return bytes.toString('hex');
      };
      const prices = many(
        at('prices'),
        (index) => asset(BigInt(index + 1), stage.dev.parameters.coinSymbol) + asset(1000n, 'USD'),
      ).join('');
      const count = at('prices') < 128 ? [at('prices')] : [(at('prices') & 127) | 128, at('prices') >> 7];
      const props: [string, string][] = [
        ['exchange_rates', Buffer.from(count).toString('hex') + prices],
        ['key', stage.key],
      ];
      return many(at('operations'), () => witnessSetProperties.of({ fee: stage.noFee, owner, props, extensions: [] }));
    },
  ),
  transactionScenario('feed_publish: all that fit', {}, (stage) => {
    const publisher = stage.witness('witness');
    stage.enrol([publisher]);
    return many(130, (index) =>
      feedPublish.of({ fee: stage.fee, publisher, exchange_rate: usd(stage, FIAT[index % 5] ?? 'USD', index + 1) }),
    );
  }),
  transactionScenario(
    'custom_json: many recipients or many messages',
    { messages: dial(1, 200, 1), recipients: dial(0, 2600) },
    (stage, at) =>
      many(at('messages'), (index) =>
        customJson.of({
          fee: stage.fee,
          sender: 'alice',
          recipients: shortNames.slice(index, index + at('recipients')),
          app_id: BigInt(index),
          json: '1',
        }),
      ),
  ),
  transactionScenario('custom_json: deep', { depth: dial(0, 3900, 30), length: dial(1, 8000) }, (stage, at) => [
    customJson.of({
      fee: stage.coins(1_000_000n),
      sender: 'alice',
      recipients: ['bob'],
      app_id: 1n,
      json: nested(at('depth'), at('length')),
    }),
  ]),
  transactionScenario(
    'custom_binary: many messages',
    { messages: dial(1, 200), recipients: dial(1, 200, 1) },
    (stage, at) =>
      many(at('messages'), (index) =>
        customBinary.of({
          fee: stage.fee,
          sender: 'alice',
          recipients: shortNames.slice(index, index + at('recipients')),
          app_id: BigInt(index),
          data: '01',
        }),
      ),
  ),
  transactionScenario('custom: all that fit', { recipients: dial(0, 2600, 0) }, (stage, at) =>
    many(240, () =>
      custom.of({
        fee: stage.fee,
        sender: 'alice',
        recipients: shortNames.slice(0, at('recipients')),
        app_id: 1n,
        data: '01',
      }),
    ),
  ),
  transactionScenario(
    'request_account_recovery: offers of many accounts or keys',
    { ...authorityDials, accounts: dial(0, 250, 0) },
    (stage, at) => {
      const named = stage.accounts(at('accounts'), 'named');
      const new_owner_authority = wide(stage, at('keys'), named);
      return many(at('operations'), (index) =>
        requestAccountRecovery.of({
          fee: stage.fee,
          recovery_account: 'alice',
          account_to_recover: stage.account(`lost ${index}`),
          new_owner_authority,
          extensions: [],
        }),
      );
    },
  ),
  transactionScenario(
    'recover_account: found last in a long history',
    { accounts: dial(1, 50, 5), entries: dial(0, 720), keys: dial(0, 220) },
    (stage, at) => {
      const [recent, next] = [
        keyAuthority(stage.key),
        { ...keyAuthority(stage.key), weight_threshold: 1, account_auths: [] },
      ];
      const old = wide(stage, at('keys'), []);
      return many(at('accounts'), (index) => {
        const account_to_recover = stage.account(`lost ${index}`);
        for (let entry = 0; entry <= at('entries'); entry++) {
          const previous_owner_authority =
            entry < at('entries')
              ? { ...old, weight_threshold: 2 }
              : { ...recent, key_auths: [[stage.key, 2]] as const };
          stage.rows.put(ownerAuthorityHistories, {
            id: stage.rows.nextId(ownerAuthorityHistories),
            account: account_to_recover,
            previous_owner_authority,
            last_valid_time: stage.now - 100 + Math.min(entry, 99),
          });
        }
        stage.rows.put(accountRecoveryRequests, {
          id: stage.rows.nextId(accountRecoveryRequests),
          account_to_recover,
          new_owner_authority: next,
          expires: stage.now + DAY,
        });
        return recoverAccount.of({
          fee: stage.noFee,
          account_to_recover,
          new_owner_authority: next,
          recent_owner_authority: { ...recent, key_auths: [[stage.key, 2]] },
          extensions: [],
        });
      });
    },
  ),
  transactionScenario('change_recovery_account: of many accounts', { accounts: dial(1, 125) }, (stage, at) =>
    stage
      .accounts(at('accounts'), 'changing')
      .map((account_to_recover) =>
        changeRecoveryAccount.of({ fee: stage.fee, account_to_recover, new_recovery_account: 'bob', extensions: [] }),
      ),
  ),
  transactionScenario(
    'reset_account: of accounts with many keys',
    { accounts: dial(1, 60, 4), keys: dial(0, 220), named: dial(0, 250, 0) },
    (stage, at) => {
      const named = stage.accounts(at('named'), 'named');
      const authority = wide(stage, at('keys'), []);
      return many(at('accounts'), (index) =>
        resetAccount.of({
          fee: stage.fee,
          reset_account: 'alice',
          account_to_reset: stage.account(`silent ${index}`, { reset_account: 'alice', last_activity: 0 }, authority),
          new_owner_authority: wide(stage, 0, named),
        }),
      );
    },
  ),
  transactionScenario('set_reset_account: of many accounts', { accounts: dial(1, 125) }, (stage, at) =>
    stage
      .accounts(at('accounts'), 'setting')
      .map((account) =>
        setResetAccount.of({ fee: stage.fee, account, current_reset_account: 'none', reset_account: 'bob' }),
      ),
  ),
  transactionScenario('escrow_approve, dispute, release: of many escrows', { step: dial(0, 3, 0) }, (stage, at) =>
    many(90, (index) => {
      const isApproved = at('step') > 0;
      const [from, to, agent] = [stage.account(`from ${index}`), 'alice', 'bob'];
      stage.rows.put(escrows, {
        id: stage.rows.nextId(escrows),
        escrow_id: index,
        from,
        to,
        agent,
        ratification_deadline: stage.now + DAY,
        escrow_expiration: stage.now + 2 * DAY,
        coin_balance: 10n,
        pending_fee: 1n,
        to_approved: isApproved,
        agent_approved: true,
        disputed: false,
      });
      const common = { fee: stage.fee, from, to, agent, who: 'alice', escrow_id: index };
      if (at('step') === 1) return escrowDispute.of(common);
      if (at('step') === 2) return escrowRelease.of({ ...common, receiver: from, coin_amount: stage.coins(10n) });
      return escrowApprove.of({ ...common, approve: at('step') === 0 });
    }),
  ),
  transactionScenario('application_create: all that fit', { text: dial(0, 2000, 0) }, (stage, at) =>
    many(160, (index) =>
      applicationCreate.of({
        fee: stage.fee,
        author: 'alice',
        name: `app${index}`,
        url: 'u',
        metadata: at('text') === 0 ? '' : nested(1, at('text')),
        price_param: 0,
      }),
    ),
  ),
  transactionScenario(
    'application_update and delete: of applications with many buyings',
    { buyings: dial(0, 3000), deletes: dial(0, 1) },
    (stage, at) =>
      many(180, (index) => {
        const name = `app${index}`;
        const id = stage.rows.nextId(applications);
        stage.rows.put(applications, {
          id,
          name: applicationKey(name),
          author: 'alice',
          author_place: BigInt(index),
          url: 'u',
          metadata: '',
          price_param: 0,
        });
        for (let buyer = index; buyer < at('buyings'); buyer += 180) {
          stage.rows.put(applicationBuyings, {
            id: stage.rows.nextId(applicationBuyings),
            buyer: nameFromSeed(`buyer ${buyer}`),
            app_id: id,
            created: 0,
          });
        }
        return at('deletes') === 1
          ? applicationDelete.of({ fee: stage.fee, author: 'alice', name })
          : applicationUpdate.of({
              fee: stage.fee,
              author: 'alice',
              new_author: 'bob',
              name,
              url: 'v',
              metadata: '',
              price_param: 0,
            });
      }),
  ),
  transactionScenario(
    'buy_application and cancel_application_buying: all that fit',
    { cancels: dial(0, 1, 0) },
    (stage, at) =>
      many(240, (index) => {
        const app_id = stage.rows.nextId(applications);
        stage.rows.put(applications, {
          id: app_id,
          name: applicationKey(`app${index}`),
          author: 'alice',
          author_place: BigInt(index),
          url: 'u',
          metadata: '',
          price_param: 0,
        });
        if (at('cancels') === 0) return buyApplication.of({ fee: stage.fee, buyer: 'alice', app_id });
        stage.rows.put(applicationBuyings, {
          id: stage.rows.nextId(applicationBuyings),
          buyer: 'bob',
          app_id,
          created: 0,
        });
        return cancelApplicationBuying.of({ fee: stage.fee, app_owner: 'alice', buyer: 'bob', app_id });
      }),
  ),
  transactionScenario('sponsor_fees: of many accounts', { ends: dial(0, 1, 0) }, (stage, at) =>
    stage.accounts(130, 'sponsored').map((sponsored) => {
      if (at('ends') === 1) stage.rows.put(accountFeeSponsors, { sponsor: 'alice', sponsored });
      return sponsorFees.of({ fee: stage.fee, sponsor: 'alice', sponsored, is_sponsoring: at('ends') === 0 });
    }),
  ),
  transactionScenario(
    'transfer: of accounts that others sponsor, to accounts that are cold',
    { accounts: dial(1, 90), memo: dial(0, 2000, 0) },
    (stage, at) =>
      many(90, (index) => {
        const from = `from ${index % at('accounts')}`;
        const sponsored = nameFromSeed(from);
        if (index < at('accounts')) {
          stage.account(from);
          stage.rows.put(accountFeeSponsors, { sponsor: stage.account(`sponsor ${index}`), sponsored });
        }
        const memo = `${index}${'m'.repeat(at('memo'))}`;
        return transfer.of({
          fee: stage.fee,
          from: sponsored,
          to: stage.account(`to ${index}`),
          amount: stage.coins(1n),
          memo,
        });
      }),
  ),
  transactionScenario(
    'transfer_from_promotion_pool: to many accounts',
    { accounts: dial(1, FREE_OPERATIONS) },
    (stage, at) =>
      many(FREE_OPERATIONS, (index) => {
        if (index < at('accounts')) stage.account(`to ${index}`);
        return transferFromPromotionPool.of({
          fee: stage.noFee,
          transfer_to: nameFromSeed(`to ${index % at('accounts')}`),
          amount: stage.coins(1n),
          extensions: [],
        });
      }),
    { signer: 'initminer' },
  ),
];

const LETTERS = 'BCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
/** Of one or two characters, so that as many as possible fit. */
const shortNames = [...LETTERS]
  .flatMap((last) => ['', 'A', ...LETTERS].map((first) => first + last))
  .toSorted(compareNames);
