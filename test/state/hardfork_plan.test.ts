import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardforkBlocks, hardforkNames, orderedPlan, planProblem } from '../../src/state/hardfork_plan.ts';
import { hardforks } from '../../src/state/hardforks.ts';
import { hardforkProperty as hardforkRow } from '../../src/state/tables/hardfork_property.ts';
import { openChain, readTestParameters, produce, testGenesis, testParameters } from '../builders/chain.ts';

const { interestVotes, bandwidth } = hardforks;
const beginning = { block: 1, time: bandwidth.time };

test('a plan may name the last hardforks that are due, at the same block or in their order', () => {
  for (const plan of [
    [],
    [{ name: 'bandwidth', block: 1 }],
    [
      { name: 'bandwidth', block: 9 },
      { name: 'interestVotes', block: 9 },
    ],
  ]) {
    assert.equal(planProblem(plan, beginning), undefined);
    assert.deepEqual(
      orderedPlan(plan).map(({ name }) => name),
      hardforkNames.filter((name) => plan.some((each) => each.name === name)),
    );
  }
  assert.deepEqual([...hardforkBlocks([{ name: 'bandwidth', block: 7 }])], [[bandwidth.id, 7]]);
});

test('a hardfork that is not due comes only by votes or by the plan, so one behind it needs both named', () => {
  const early = { block: 1, time: interestVotes.time - 1 };
  assert.match(
    planProblem([{ name: 'bandwidth', block: 5 }], early) ?? '',
    /^interestVotes is missing: it comes before bandwidth, so its block has to be named as well$/,
  );
  assert.equal(planProblem([{ name: 'interestVotes', block: 5 }], early), undefined);
});

test('a fork has no blocks before its own, and its state says what is missing', () => {
  const plan = [{ name: 'bandwidth', block: 70 }];
  assert.match(
    planProblem(plan, { block: 71, time: undefined }) ?? '',
    /^bandwidth: block 70 is in the past of this fork, whose first block is 71$/,
  );
  assert.equal(planProblem(plan, { block: 70, time: undefined }), undefined);
});

test('a genesis with a plan that no chain can follow is refused by its member, and none of the lineage has one', () => {
  const bandwidthPlan = (block: number): object[] => [{ name: 'bandwidth', block }];
  assert.throws(() => testParameters({ hardfork_blocks: [{ name: 'dream', block: 5 }] }), {
    code: 'bad_genesis',
    message: /^hardfork_blocks: this program knows no hardfork "dream", only interestVotes, bandwidth/,
  });
  assert.throws(
    () => readTestParameters(testGenesis({ hardfork_blocks: JSON.parse(JSON.stringify(bandwidthPlan(0))) })),
    {
      message: /^hardfork_blocks: bandwidth: the first block has number 1/,
    },
  );
  assert.throws(
    () => readTestParameters(testGenesis({ hardfork_blocks: JSON.parse(JSON.stringify(bandwidthPlan(5))) }, 'lineage')),
    { message: /^hardfork_blocks: under the rule set lineage hardforks follow the votes/ },
  );
});

test('a chain whose witness votes for all it knows applies a planned hardfork with its block and not before', () => {
  const parameters = testParameters({
    ...{ max_witnesses: 1, max_voted_witnesses: 1 },
    hardfork_blocks: [{ name: 'bandwidth', block: 5 }],
  });
  const [chain, copy] = [openChain(parameters), openChain(parameters)];
  const versions: boolean[] = [];
  for (let block = 1; block <= 6; block++) {
    copy.push(produce(chain));
    versions.push(chain.committed.only(hardforkRow).current_hardfork_version === bandwidth.version);
  }
  assert.deepEqual(versions, [false, false, false, false, true, true]);
  assert.equal(copy.head.stateHash, chain.head.stateHash);
});
