import assert from 'node:assert/strict';
import { test } from 'node:test';

import { accounts } from '../../src/state/tables/account.ts';
import { testKey, testKeyText } from '../builders/chain.ts';
import {
  accountUpdate,
  adminWitnessUpdate,
  authorityJson,
  ForkedChains,
  KINDS_OF_CHAINS,
  STAFF,
  type KindOfChain,
} from '../builders/forked_chains.ts';
import { witnessUpdate } from '../builders/parted_witnesses.ts';

// The owner authority of an account changes once an hour at most.
const AN_HOUR = 3700;
const FREE = '0.000000 COIN';

/** Events on both branches and on each, until the witness `bob` signs with the key `bob2` on the second. */
interface Case {
  readonly name: string;
  /** In these kinds of chains; all by default. */
  readonly only?: (kind: KindOfChain) => boolean;
  readonly play: (chains: ForkedChains) => void;
}

const switchKey = witnessUpdate('bob', 'bob2');

const cases: readonly Case[] = [
  {
    name: 'the main branch changed the active key of the witness’s account',
    play(chains) {
      chains.onA([accountUpdate('bob', { active: authorityJson(['bob9']) })], 'bob');
      chains.onB([switchKey], 'bob');
    },
  },
  {
    name: 'the main branch changed the owner and active keys of the witness’s account',
    play(chains) {
      chains.wait(AN_HOUR);
      chains.onA([accountUpdate('bob', { owner: authorityJson(['bob8']), active: authorityJson(['bob9']) })], 'bob');
      chains.onB([switchKey], 'bob');
    },
  },
  {
    name: 'the main branch changed the keys of the account that appoints witnesses',
    only: ({ isPrivateNet }) => isPrivateNet,
    play(chains) {
      chains.onA([accountUpdate('initminer', { active: authorityJson(['initminer9']) })], 'initminer');
      chains.onB([adminWitnessUpdate('bob', 'bob2')], 'initminer');
    },
  },
  {
    name: '65 keys of a stranger stand before the change in its block',
    play(chains) {
      const keys = (from: number, count: number) =>
        authorityJson(Array.from({ length: count }, (_, k) => `stranger ${from + k}`));
      const owners = ['erin', 'm1', 'm2'] as const;
      chains.there.accept(chains.transaction([accountUpdate(owners[0], { active: keys(0, 33) })], owners[0]));
      chains.there.accept(chains.transaction([accountUpdate(owners[1], { active: keys(33, 32) })], owners[1]));
      chains.there.accept(chains.transaction([accountUpdate(owners[2], { active: keys(65, 32) })], owners[2]));
      chains.onB([switchKey], 'bob');
    },
  },
  {
    name: '65 keys of a stranger stand before the switch to a standby in its block',
    play(chains) {
      for (const [k, name] of ['erin', 'm1', 'm2'].entries()) {
        const keys = authorityJson(Array.from({ length: 33 }, (_, n) => `stranger ${k} ${n}`));
        chains.there.accept(chains.transaction([accountUpdate(name, { active: keys })], name));
      }
      const props = { key: testKeyText('bob'), new_signing_key: testKeyText('bob2') };
      chains.onB([['witness_set_properties', { fee: FREE, owner: 'bob', props, extensions: [] }]], 'bob');
    },
  },
  {
    name: 'a manager changes its own key on the branch, then acts',
    play(chains) {
      chains.before([accountUpdate('bob', { active: authorityJson(['bob'], ['m1']) })], 'bob');
      chains.onB([accountUpdate('m1', { active: authorityJson(['m1 new']) })], 'm1');
      chains.onB([switchKey], 'm1 new');
    },
  },
  {
    name: 'the manager of a manager acts',
    play(chains) {
      chains.before([accountUpdate('bob', { active: authorityJson(['bob'], ['m1']) })], 'bob');
      chains.before([accountUpdate('m1', { active: authorityJson(['m1'], ['m2']) })], 'm1');
      chains.onB([switchKey], 'm2');
    },
  },
  {
    name: 'an authority that is given on the branch names an account alone',
    play(chains) {
      chains.onB([accountUpdate('bob', { active: authorityJson([], ['m1']) })], 'bob');
      chains.onB([switchKey], 'm1');
    },
  },
  {
    name: 'the ninth manager acts',
    play(chains) {
      chains.before([accountUpdate('bob', { active: authorityJson([], STAFF) })], 'bob');
      chains.onB([switchKey], 'm9');
    },
  },
  {
    name: 'everybody may act for the witness',
    only: ({ rules }) => rules === 'lineage',
    play(chains) {
      chains.before([accountUpdate('bob', { active: authorityJson([], [], 0) })], 'bob');
      chains.onB([switchKey]);
    },
  },
  {
    name: 'the main branch deleted the manager’s account',
    play(chains) {
      const manager = chains.create('alice', 'manager', authorityJson(['manager']));
      chains.before([accountUpdate('bob', { active: authorityJson(['bob'], [manager]) })], 'bob');
      chains.onA([['account_delete', { fee: FREE, account: manager }]], 'manager');
      chains.onB([switchKey], 'manager');
    },
    only: ({ rules }) => rules !== 'lineage',
  },
  {
    name: 'the witness’s account is won back on the branch',
    play(chains) {
      chains.wait(AN_HOUR);
      chains.before(
        [accountUpdate('bob', { owner: authorityJson(['thief']), active: authorityJson(['thief']) })],
        'bob',
      );
      chains.wait(AN_HOUR);
      const partner = chains.here.committed.get(accounts, 'bob')?.recovery_account ?? '';
      const owner = authorityJson(['won back']);
      const request = {
        fee: FREE,
        recovery_account: partner,
        account_to_recover: 'bob',
        new_owner_authority: owner,
        extensions: [],
      };
      chains.onB([['request_account_recovery', request]], partner === '' ? 'initminer' : partner);
      const recover = { fee: FREE, account_to_recover: 'bob', new_owner_authority: owner };
      chains.onB(
        [['recover_account', { ...recover, recent_owner_authority: authorityJson(['bob']), extensions: [] }]],
        'won back',
        'bob',
      );
      chains.onB([switchKey], 'won back');
    },
  },
  {
    name: 'the witness’s account is reset on the branch',
    play(chains) {
      const reset = { fee: FREE, account: 'bob', current_reset_account: 'none', reset_account: 'm1' };
      const current = chains.here.committed.get(accounts, 'bob')?.reset_account ?? '';
      chains.before([['set_reset_account', { ...reset, current_reset_account: current }]], 'bob');
      chains.wait(60 * 24 * 3600 + AN_HOUR);
      const owner = authorityJson(['reset']);
      chains.onB(
        [['reset_account', { fee: FREE, reset_account: 'm1', account_to_reset: 'bob', new_owner_authority: owner }]],
        'm1',
      );
      chains.onB([accountUpdate('bob', { active: authorityJson(['bob7']) })], 'reset');
      chains.onB([switchKey], 'bob7');
    },
  },
  {
    name: 'an account that is created on the branch acts for the witness',
    only: ({ rules }) => rules !== 'lineage',
    play(chains) {
      const manager = chains.create('alice', 'manager', authorityJson(['manager']), 'B');
      chains.onB([accountUpdate('bob', { active: authorityJson([], [manager]) })], 'bob');
      chains.onB([switchKey], 'manager');
    },
  },
];

for (const kind of KINDS_OF_CHAINS) {
  for (const { name, play, only = () => true } of cases) {
    if (!only(kind)) continue;
    test(`a longer branch is taken although ${name}, under ${kind.name}`, () => {
      const chains = new ForkedChains(kind);
      play(chains);
      chains.growA(3);
      chains.growB(12, { bob: 'bob2' });
      const made = chains.theirs.filter(({ header, signer }) => header.witness === 'bob' && signer === testKey('bob2'));
      assert.ok(made.length > 0, 'the witness has signed with its new key');
      chains.assertTaken();
    });
  }
}
