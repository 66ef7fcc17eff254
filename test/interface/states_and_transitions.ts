import assert from 'node:assert/strict';
import { at, type Json } from '../outside/json.ts';
import { authorityMembers, transfer, type Account, type Chain, type Members } from './chain.ts';
import {
  approved,
  becomeWitness,
  escrow,
  escrowParties,
  proposed,
  recovery,
  recoveryRequest,
  requests,
  robbed,
  setReset,
  witness,
} from './deeds.ts';
import { expect, on, type Section } from './lines.ts';
import { anything, has, noList } from './shapes.ts';

const { story } = on('hurried');

const OPEN = { weight_threshold: 0, account_auths: [], key_auths: [] };
const DAY_SECONDS = 86_400;
const FEE = 10_000n;

export const statesAndTransitions: Section = {
  title: 'States and transitions',
  lines: [
    story('one active request per account', '', async (chain) => {
      const { name } = await chain.account('requested twice');
      for (const label of ['first', 'second'])
        await chain.send([recoveryRequest(name, authorityMembers(label))], 'alice');
      expect({ requests: [anything] }, await requests(chain, name));
    }),
    story('replaces its new owner authority and sets its expiry to 24 hours', '', async (chain) => {
      const { name } = await chain.account('requested anew');
      await chain.send([recoveryRequest(name, authorityMembers('first'))], 'alice');
      await chain.seconds(7200);
      const expires = await chain.futureTime(DAY_SECONDS);
      await chain.send([recoveryRequest(name, authorityMembers('second'))], 'alice');
      expect(
        { requests: [has({ new_owner_authority: authorityMembers('second'), expires })] },
        await requests(chain, name),
      );
    }),
    story('If the new authority has weight_threshold 0', 'the request is gone', async (chain) => {
      const { name } = await chain.account('requested and withdrawn');
      await chain.send([recoveryRequest(name, authorityMembers('first'))], 'alice');
      await chain.send([recoveryRequest(name, OPEN)], 'alice');
      expect({ requests: noList }, await requests(chain, name));
    }),
    story('An unanswered request expires', 'after 24 hours, not before', async (chain) => {
      const { name } = await robbed(chain, 'requested in vain');
      const labels = ['fresh', 'requested in vain'];
      const recover = recovery(name, authorityMembers('fresh'), authorityMembers('requested in vain'));
      await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
      await chain.seconds(DAY_SECONDS - 3 * 1200);
      expect({ requests: [anything] }, await requests(chain, name));
      await chain.seconds(3 * 1200);
      expect({ requests: noList }, await requests(chain, name));
      await chain.refused('no_recovery_request', [recover], ...labels);
    }),

    story('recover_account succeeds only when the recovery account has sent a request', '', async (chain) => {
      const { name } = await robbed(chain, 'robbed, not asked for');
      const recover = recovery(name, authorityMembers('fresh'), authorityMembers('robbed, not asked for'));
      await chain.refused('no_recovery_request', [recover], 'fresh', 'robbed, not asked for');
      await chain.refused('not_recovery_account', [recoveryRequest(name, authorityMembers('fresh'), 'bob')], 'bob');
      await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
      await chain.send([recover], 'fresh', 'robbed, not asked for');
    }),
    story('signed by keys that satisfy both', '', async (chain) => {
      const { name } = await robbed(chain, 'robbed of much');
      const recover = recovery(name, authorityMembers('fresh', 'cool'), authorityMembers('robbed of much'));
      await chain.send([recoveryRequest(name, authorityMembers('fresh', 'cool'))], 'alice');
      for (const labels of [['fresh', 'cool'], ['robbed of much'], ['fresh', 'robbed of much'], []])
        await chain.refused('missing_other_authority', [recover], ...labels);
      await chain.send([recover], 'fresh', 'cool', 'robbed of much');
      expect(has({ owner: authorityMembers('fresh', 'cool') }), await chain.record(name));
    }),
    ...(
      [
        [29, true],
        [31, false],
      ] as const
    ).map(([days, isRecent]) =>
      story(
        'was the owner authority within the past 30 days',
        `${days} days later it is ${isRecent ? '' : 'not '}recent`,
        async (chain) => {
          const label = `robbed ${days} days ago`;
          const { name } = await robbed(chain, label);
          await chain.days(days);
          await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
          const recover = recovery(name, authorityMembers('fresh'), authorityMembers(label));
          if (isRecent) await chain.send([recover], 'fresh', label);
          else await chain.refused('authority_not_in_history', [recover], 'fresh', label);
        },
      ),
    ),
    story('was the owner authority within the past 30 days', 'one that never was is not', async (chain) => {
      const { name } = await robbed(chain, 'robbed of others');
      await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
      await chain.refused(
        'authority_not_in_history',
        [recovery(name, authorityMembers('fresh'), authorityMembers('stranger'))],
        'fresh',
        'stranger',
      );
    }),
    story('If either is unsatisfied, the operation fails entirely', 'owner and request stay', async (chain) => {
      const { name } = await robbed(chain, 'robbed and unmoved');
      await chain.send([recoveryRequest(name, authorityMembers('fresh'))], 'alice');
      const recover = recovery(name, authorityMembers('fresh'), authorityMembers('robbed and unmoved'));
      for (const label of ['fresh', 'robbed and unmoved'])
        await chain.refused('missing_other_authority', [recover], label);
      await chain.produce();
      expect(has({ owner: authorityMembers('thief') }), await chain.record(name));
      expect({ requests: [anything] }, await requests(chain, name));
    }),
    story('An account can be recovered repeatedly', '', async (chain) => {
      const { name } = await robbed(chain, 'robbed again');
      const owners = ['thief', 'robbed again', 'second owner', 'third owner'];
      for (const [k, label] of owners.entries()) {
        if (k < 2) continue;
        await chain.send([recoveryRequest(name, authorityMembers(label))], 'alice');
        const recent = owners[k - 2] ?? '';
        const before = k === 2 ? 'robbed again' : recent === 'robbed again' ? 'thief' : recent;
        await chain.send([recovery(name, authorityMembers(label), authorityMembers(before))], label, before);
        await chain.seconds(2 * 3600);
        expect(has({ owner: authorityMembers(label) }), await chain.record(name));
      }
    }),

    story('takes effect after a 30 day delay', '', async (chain) => {
      const { name, label } = await chain.account('that changes partners');
      await chain.send(
        [['change_recovery_account', { account_to_recover: name, new_recovery_account: 'bob', extensions: [] }]],
        label,
      );
      await chain.days(29.9);
      await chain.refused('not_recovery_account', [recoveryRequest(name, authorityMembers('fresh'), 'bob')], 'bob');
      await chain.send([recoveryRequest(name, authorityMembers('fresh'), 'alice')], 'alice');
      await chain.days(0.2);
      await chain.refused('not_recovery_account', [recoveryRequest(name, authorityMembers('fresh'), 'alice')], 'alice');
      await chain.send([recoveryRequest(name, authorityMembers('fresh'), 'bob')], 'bob');
    }),

    story('On account creation the recovery account is the creator', 'and nobody else', async (chain) => {
      const { name } = await chain.account('with a creator');
      for (const other of ['bob', 'initminer'])
        await chain.refused('not_recovery_account', [recoveryRequest(name, authorityMembers('fresh'), other)], other);
      await chain.send([recoveryRequest(name, authorityMembers('fresh'), 'alice')], 'alice');
    }),
    story('uses the top voted witness at the time', 'initminer, who was mined', async (chain) => {
      await becomeWitness(chain, 'erin');
      await chain.send([['account_witness_vote', { account: 'erin', witness: 'erin', approve: true }]], 'erin');
      await chain.refused(
        'not_top_witness',
        [recoveryRequest('initminer', authorityMembers('fresh'), 'alice')],
        'alice',
      );
      await chain.send([recoveryRequest('initminer', authorityMembers('fresh'), 'erin')], 'erin');
      await chain.send([recoveryRequest('initminer', OPEN, 'erin')], 'erin');
      await chain.send([['witness_stop', { fee: '0.010000 COIN', owner: 'erin' }]], 'erin');
    }),

    story(
      'after 60 days of inactivity',
      'not after 59 days, nor when the account has written in between',
      async (chain) => {
        const { name, label } = await chain.account('that sleeps', '10');
        await chain.send([setReset(name, 'none', 'bob')], label);
        const reset = [
          'reset_account',
          { reset_account: 'bob', account_to_reset: name, new_owner_authority: authorityMembers('woken') },
        ];
        await chain.days(59);
        await chain.refused('account_active', [reset], 'bob');
        await chain.send([transfer(name, 'alice', '1')], label);
        await chain.days(2);
        await chain.refused('account_active', [reset], 'bob');
        await chain.days(58.5);
        await chain.send([reset], 'bob');
        expect(has({ owner: authorityMembers('woken') }), await chain.record(name));
      },
    ),
    story('set_reset_account lets the account owner choose', 'who is not chosen may not reset', async (chain) => {
      const { name, label } = await chain.account('that chooses');
      await chain.refused('missing_owner_authority', [setReset(name, 'none', 'bob')], 'bob');
      await chain.send([setReset(name, 'none', 'bob')], label);
      await chain.send([setReset(name, 'bob', 'carol')], label);
      await chain.days(60.5);
      const reset = (by: string): Json => [
        'reset_account',
        { reset_account: by, account_to_reset: name, new_owner_authority: authorityMembers('woken') },
      ];
      for (const other of ['bob', 'alice']) await chain.refused('not_reset_account', [reset(other)], other);
      await chain.send([reset('carol')], 'carol');
    }),

    story('a withdrawal paid out in equal installments', '', async (chain) => {
      expect([2_000_000n, 2_000_000n, 2_000_000n].map(String), (await instalments(chain)).slice(0, 3).map(String));
    }),
    story(
      'once a week over 104 weeks (two years)',
      'is stale: the last instalment comes on the 27th day',
      async (chain) => {
        const paid = await instalments(chain);
        assert.equal(
          paid.reduce((sum, one) => sum + one, 0n),
          54_000_000n,
        );
      },
    ),
    story('once a day over 27 days', '', async (chain) => {
      const paid = await instalments(chain);
      assert.deepEqual(
        paid,
        Array.from({ length: 27 }, () => 2_000_000n),
      );
    }),

    story(
      'escrow_transfer only creates a proposed escrow',
      'nobody but the sender has other coins than before',
      async (chain) => {
        const held = [await chain.millionths('bob'), await chain.millionths('carol')];
        await proposed(chain, 1);
        assert.deepEqual([await chain.millionths('bob'), await chain.millionths('carol')], held);
        expect(
          has({ to_approved: false, agent_approved: false, disputed: false, coin_balance: '20.000000 COIN' }),
          await escrow(chain, 1),
        );
        await chain.refused('escrow_not_approved', [release(escrowParties(1), 'alice', 'bob', '1')], 'alice');
      },
    ),
    story('must each approve, and an approval cannot be revoked', '', async (chain) => {
      const parties = await proposed(chain, 2);
      await chain.refused('approver_no_party', [approve(parties, 'alice', true)], 'alice');
      await chain.send([approve(parties, 'bob', true)], 'bob');
      expect(has({ to_approved: true, agent_approved: false }), await escrow(chain, 2));
      await chain.refused('to_approved_already', [approve(parties, 'bob', false)], 'bob');
      await chain.send([approve(parties, 'carol', true)], 'carol');
      expect(has({ to_approved: true, agent_approved: true }), await escrow(chain, 2));
    }),
    story('Later approvals, of either value, are rejected', '', async (chain) => {
      const parties = await approved(chain, 3);
      for (const who of ['bob', 'carol'])
        for (const value of [true, false])
          await chain.refused(
            `${who === 'bob' ? 'to' : 'agent'}_approved_already`,
            [approve(parties, who, value)],
            who,
          );
    }),
    story('A dispute can be raised by `from` or `to`', 'only when all have approved', async (chain) => {
      const parties = await proposed(chain, 4);
      await chain.send([approve(parties, 'bob', true)], 'bob');
      for (const who of ['alice', 'bob']) await chain.refused('escrow_not_approved', [dispute(parties, who)], who);
      await chain.send([approve(parties, 'carol', true)], 'carol');
      await chain.send([dispute(parties, 'alice')], 'alice');
      expect(has({ disputed: true }), await escrow(chain, 4));
      await chain.send([dispute(await approved(chain, 5), 'bob')], 'bob');
    }),
    story('A dispute can be raised by `from` or `to`', 'not by the agent, nor after the deadline', async (chain) => {
      const parties = await approved(chain, 6, 2 * 3600);
      await chain.refused('disputer_no_party', [dispute(parties, 'carol')]);
      await chain.seconds(4 * 3600);
      for (const who of ['alice', 'bob']) await chain.refused('dispute_too_late', [dispute(parties, who)], who);
    }),
    story('In a dispute the agent decides who receives what', '', async (chain) => {
      const parties = await approved(chain, 7);
      await chain.send([dispute(parties, 'bob')], 'bob');
      for (const [who, receiver] of [
        ['alice', 'bob'],
        ['bob', 'alice'],
      ] as const)
        await chain.refused('only_agent_releases', [release(parties, who, receiver, '1')], who);
      const held = [await chain.millionths('alice'), await chain.millionths('bob')];
      await chain.send([release(parties, 'carol', 'alice', '12.5'), release(parties, 'carol', 'bob', '7.5')], 'carol');
      assert.deepEqual(
        [await chain.millionths('alice'), await chain.millionths('bob')],
        [(held[0] ?? 0n) + 12_500_000n, (held[1] ?? 0n) + 7_500_000n],
      );
      assert.equal(await escrow(chain, 7), null);
    }),
    story('are released to `to` by `from`, or refunded to `from` by `to`', '', async (chain) => {
      const parties = await approved(chain, 8);
      const [alice, bob] = [await chain.millionths('alice'), await chain.millionths('bob')];
      await chain.refused('only_from_releases_to', [release(parties, 'alice', 'alice', '1')], 'alice');
      await chain.refused('only_to_releases_from', [release(parties, 'bob', 'bob', '1')], 'bob');
      await chain.send([release(parties, 'alice', 'bob', '4')], 'alice');
      await chain.send([release(parties, 'bob', 'alice', '16')], 'bob');
      assert.equal((await chain.millionths('bob')) - bob, 4_000_000n - FEE);
      assert.equal((await chain.millionths('alice')) - alice, 16_000_000n - FEE);
    }),
    story(
      'escrow_release may be used by anyone associated',
      'who has permission, and by nobody else',
      async (chain) => {
        const parties = await approved(chain, 9);
        await chain.refused('only_parties_release', [release(parties, 'carol', 'bob', '1')], 'carol');
        await chain.refused('releaser_no_party', [release(parties, 'dave', 'bob', '1')]);
        await chain.send([release(parties, 'alice', 'bob', '1')], 'alice');
        await chain.send([release(parties, 'bob', 'alice', '1')], 'bob');
        await chain.send([dispute(parties, 'alice')], 'alice');
        await chain.send([release(parties, 'carol', 'bob', '1')], 'carol');
      },
    ),

    story('by default an account has not voted for a witness', '', async (chain) => {
      const { name } = await chain.account('that never voted');
      expect(has({ witness_votes: noList }), await chain.record(name));
    }),
    story('sets a positive or negative vote', '', async (chain) => {
      const { name, label } = await voter(chain, 'that votes', '5');
      const before = await fetchVotes(chain);
      await chain.send([vote(name, false)], label);
      assert.equal(await fetchVotes(chain), before);
      await chain.send([vote(name, true)], label);
      assert.equal((await fetchVotes(chain)) - before, 5_000_000n);
      await chain.send([vote(name, false)], label);
      assert.equal(await fetchVotes(chain), before);
      expect(has({ witness_votes: noList }), await chain.record(name));
    }),
    story('It stays until replaced', 'for years, and when it is set again', async (chain) => {
      const { name, label } = await voter(chain, 'that votes for long', '6');
      await chain.send([vote(name, true)], label);
      const votes = await fetchVotes(chain);
      await chain.days(800);
      await chain.send([vote(name, true)], label);
      expect(has({ witness_votes: ['initminer'] }), await chain.record(name));
      assert.equal(await fetchVotes(chain), votes);
      await chain.send([vote(name, false)], label);
      assert.equal(votes - (await fetchVotes(chain)), 6_000_000n);
    }),
    story("Its strength is the account's vesting shares", 'coins do not count', async (chain) => {
      const { name, label } = await voter(chain, 'with coins and shares', '7', '1000');
      const before = await fetchVotes(chain);
      await chain.send([vote(name, true)], label);
      assert.equal((await fetchVotes(chain)) - before, await chain.millionths(name, 'vesting_shares'));
      await chain.send([['transfer_to_vesting', { from: name, to: '', amount: '3.5 COIN' }]], label);
      assert.equal((await fetchVotes(chain)) - before, await chain.millionths(name, 'vesting_shares'));
      await chain.send([transfer(name, 'alice', '900')], label);
      assert.equal((await fetchVotes(chain)) - before, await chain.millionths(name, 'vesting_shares'));
    }),

    story('setting a proxy leaves earlier witness votes stored but ignored', '', async (chain) => {
      const { name, label } = await voter(chain, 'with a vote and a proxy', '8');
      const before = await fetchVotes(chain);
      await chain.send([vote(name, true)], label);
      await chain.send([proxy(name, 'judy')], label);
      assert.equal(await fetchVotes(chain), before);
      expect(has({ witness_votes: ['initminer'], voting_proxy: 'judy' }), await chain.record(name));
    }),
    story('Clearing the proxy makes them effective again', '', async (chain) => {
      const { name, label } = await voter(chain, 'that clears its proxy', '9');
      const before = await fetchVotes(chain);
      await chain.send([vote(name, true)], label);
      await chain.send([proxy(name, 'judy')], label);
      await chain.send([proxy(name, '')], label);
      assert.equal((await fetchVotes(chain)) - before, 9_000_000n);
    }),

    story("turns sponsoring of another account's fees on or off", '', async (chain) => {
      const { name, label } = await chain.account('that is sponsored', '10');
      const costs = async (): Promise<readonly bigint[]> => {
        const held = [await chain.millionths('frank'), await chain.millionths(name)];
        await chain.send([transfer(name, 'alice', '1')], label);
        return [
          (held[0] ?? 0n) - (await chain.millionths('frank')),
          (held[1] ?? 0n) - (await chain.millionths(name)) - 1_000_000n,
        ];
      };
      const sponsor = (is_sponsoring: boolean): Json => [
        'sponsor_fees',
        { sponsor: 'frank', sponsored: name, is_sponsoring },
      ];
      assert.deepEqual(await costs(), [0n, FEE]);
      await chain.send([sponsor(true)], 'frank');
      assert.deepEqual(await costs(), [FEE, 0n]);
      await chain.send([sponsor(false)], 'frank');
      assert.deepEqual(await costs(), [0n, FEE]);
    }),
  ],
};

function approve(parties: Members, who: string, value: boolean): Json {
  return ['escrow_approve', { ...parties, who, approve: value }];
}

function dispute(parties: Members, who: string): Json {
  return ['escrow_dispute', { ...parties, who }];
}

function release(parties: Members, who: string, receiver: string, coins: string): Json {
  return ['escrow_release', { ...parties, who, receiver, coin_amount: `${coins} COIN` }];
}

function vote(account: string, approves: boolean): Json {
  return ['account_witness_vote', { account, witness: 'initminer', approve: approves }];
}

function proxy(account: string, to: string): Json {
  return ['account_witness_proxy', { account, proxy: to }];
}

/** An account with shares, and coins for fees. */
async function voter(chain: Chain, label: string, shares: string, coins = '1'): Promise<Account> {
  const account = await chain.account(label, coins);
  await chain.send([['transfer_to_vesting', { from: 'alice', to: account.name, amount: `${shares} COIN` }]], 'alice');
  return account;
}

/** The votes for initminer, in millionths. */
async function fetchVotes(chain: Chain): Promise<bigint> {
  return BigInt(String(at(await witness(chain, 'initminer'), 'votes')));
}

/** Returns the instalment of each of 27 days for an account that withdraws 54 shares. */
async function instalments(chain: Chain): Promise<readonly bigint[]> {
  return await chain.once('instalments', async () => {
    const { name, label } = await voter(chain, 'that withdraws', '100');
    await chain.days(365 + 31);
    await chain.send([['withdraw_vesting', { account: name, vesting_shares: '54 VESTS' }]], label);
    const paid: bigint[] = [];
    for (let day = 1; day <= 27; day++) {
      const held = await chain.millionths(name);
      await chain.days(1);
      paid.push((await chain.millionths(name)) - held);
    }
    return paid;
  });
}
