import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allRules, tabulateDecisions, exploreVotes, type Decisions, type VotingRules } from './voting_model.ts';
import { nodeDecisions } from './node_decisions.ts';

// Two thirds of the voters vote for a branch, and a third of them lie: no order of votes makes two branches final.

/** Three views have a counter-example for each rule that is taken away. */
const VIEWS = Number(process.env['PHAROS_TEST_VIEWS'] ?? 3);
/** With journals that get lost there are many more states, and two views have a counter-example. */
const LOSING_VIEWS = VIEWS - 1;

test(`four voters, one of whom lies, make no two branches final in ${VIEWS} views, in whatever order votes and certificates arrive`, () => {
  const { states, twoFinal } = exploreVotes(VIEWS, tabulateDecisions(allRules, VIEWS));
  assert.equal(twoFinal, undefined);
  assert.ok(states > 1000, `${states} states`);
});

test(`nor do they when each may lose its journal once, in ${LOSING_VIEWS} views`, () => {
  const { states, twoFinal } = exploreVotes(LOSING_VIEWS, tabulateDecisions(allRules, LOSING_VIEWS), true);
  assert.equal(twoFinal, undefined);
  assert.ok(states > 1000, `${states} states`);
});

test('the node decides as the model does, in every state that the model comes to', () => {
  const [model, node] = [tabulateDecisions(allRules, LOSING_VIEWS), nodeDecisions(LOSING_VIEWS)];
  let compared = 0;
  const compareDecision =
    (decide: keyof Decisions): Decisions['mayPrepare'] =>
    (...args) => {
      compared++;
      const decision = model[decide](...args);
      if (node[decide](...args) !== decision)
        assert.fail(`${decide} is ${decision} for ${JSON.stringify(args.slice(0, 3))}`);
      return decision;
    };
  exploreVotes(
    LOSING_VIEWS,
    { mayPrepare: compareDecision('mayPrepare'), mayCommit: compareDecision('mayCommit') },
    true,
  );
  assert.ok(compared > 10_000, `${compared} decisions`);
});

test('voters that vote on after they have lost their journals make two branches final', () => {
  const { twoFinal } = exploreVotes(
    LOSING_VIEWS,
    tabulateDecisions({ ...allRules, followsAfterLoss: false }, LOSING_VIEWS),
    true,
  );
  assert.ok(twoFinal !== undefined, 'no counter-example');
});

const counterExamples: Readonly<Record<Exclude<keyof VotingRules, 'followsAfterLoss'>, string>> = {
  preparesRise: 'prepares that need not rise',
  hasLock: 'voters without a lock',
  onlyHigherOpens: 'locks that any certificate opens',
  commitsLastPrepare: 'commits of another view than that of the last prepare',
};

for (const [rule, words] of Object.entries(counterExamples))
  test(`${words} make two branches final`, () => {
    const { twoFinal } = exploreVotes(3, tabulateDecisions({ ...allRules, [rule]: false }, 3));
    assert.ok(twoFinal !== undefined, 'no counter-example');
  });
