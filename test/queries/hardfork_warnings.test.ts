import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hardforkStanding, type HardforkStanding } from '../../src/queries/hardfork_standing.ts';
import { hardforkWarnings, warningSentence, witnessesOfUnknownVersion } from '../../src/queries/hardfork_warnings.ts';
import { protocolVersion } from '../../src/state/hardforks.ts';
import type { ChainParameters } from '../../src/state/parameters.ts';
import { parseTime, timeText } from '../../src/values/time.ts';
import { parseVersion, versionText } from '../../src/values/version.ts';
import { openChain, produce, testParameters } from '../builders/chain.ts';
import { forgedBlock } from '../builders/forged_block.ts';
import { makeStanding } from '../builders/hardfork_standing.ts';
import { appliedHardforks, nextHardfork } from '../builders/planted_hardfork.ts';

const LATER = '2027-01-01T00:00:00';
const DUE = parseTime(LATER) ?? assert.fail(LATER);
const requireVersion = (text: string): number => parseVersion(text) ?? assert.fail(text);

const warnedNames = (standing: HardforkStanding): string[] => hardforkWarnings(standing).map(({ name }) => name);
const warningSentences = (standing: HardforkStanding): string[] => hardforkWarnings(standing).map(warningSentence);

test('nothing is said while all run what this program knows and enough witnesses are scheduled', () => {
  assert.deepEqual(warnedNames(makeStanding(['1.2.0', '1.2.0', '1.1.0'])), []);
  const voting = makeStanding(['1.2.0', '1.2.0'], { supported: requireVersion('1.3.0'), votes: ['1.3.0'] });
  assert.deepEqual(warnedNames(voting), []);
});

test('a version that this program does not know is told as soon as one witness runs or votes for it, with the votes and what to do', () => {
  const running = makeStanding(['1.3.0', '1.2.0', '1.2.0', '1.2.0']);
  assert.equal(witnessesOfUnknownVersion(running).length, 1);
  assert.deepEqual(warningSentences(running), [
    '1 of 4 scheduled witnesses run or vote for version 1.3.0, which this program (protocol version 1.2.0) does not know; none votes for it yet, and 3 votes activate it: install a release of Pharos that knows version 1.3.0 before then; see the guide "Upgrade a live chain"',
  ]);
  const voted = makeStanding(['1.3.0', '1.3.0', '1.2.0', '1.2.0'], { votes: ['1.3.0', '1.3.0'] });
  assert.match(
    warningSentences(voted)[0] ?? '',
    new RegExp(`; 2 vote for 1\\.3\\.0 at ${LATER}, and 3 votes activate it: `),
  );
});

test('an unknown version that the witnesses have agreed on is told with the time at which the node stops', () => {
  const agreed = makeStanding(['1.3.0', '1.3.0', '1.3.0', '1.2.0'], {
    agreed: { version: requireVersion('1.3.0'), time: DUE },
  });
  assert.deepEqual(warnedNames(agreed), ['unknown_hardfork']);
  assert.match(
    warningSentences(agreed)[0] ?? '',
    new RegExp(`^the witnesses have agreed on version 1\\.3\\.0, .* does not know; .* stops .* at ${LATER}: install`),
  );
  assert.deepEqual(warnedNames({ ...agreed, supported: requireVersion('1.3.0') }), []);
});

test('a threshold that the scheduled witnesses can not reach is told, with the votes that were cast in vain', () => {
  const idle = makeStanding(['1.2.0', '1.2.0'], { required: 31, places: 51, quorum: 35 });
  assert.deepEqual(warnedNames(idle), ['too_few_witnesses', 'threshold_below_quorum']);
  assert.match(
    warningSentences(idle)[0] ?? '',
    /^a hardfork needs 31 votes, but only 2 of 51 places of the round are taken/,
  );
  const voting = {
    ...makeStanding(['1.3.0', '1.3.0'], { votes: ['1.3.0', '1.3.0'] }),
    supported: requireVersion('1.3.0'),
  };
  const vain = { ...voting, required: 31, places: 51, quorum: 31 };
  assert.match(
    warningSentences(vain)[0] ?? '',
    /^2 of 2 scheduled witnesses vote for version 1\.3\.0, and 31 votes are needed, but only 2 of 51 places/,
  );
  assert.deepEqual(warnedNames({ ...vain, places: 7 }), ['threshold_above_round']);
  assert.deepEqual(warnedNames({ ...vain, required: 35, quorum: 35, places: 35, isPrivateNet: true }), [
    'too_few_witnesses',
  ]);
});

test('a threshold below the quorum is told, but not on a private net, where nothing becomes final by votes of many', () => {
  const low = makeStanding(['1.2.0', '1.2.0', '1.2.0', '1.2.0'], { required: 2 });
  assert.deepEqual(warningSentences(low), [
    '2 votes activate a hardfork, and 3 of 4 witnesses are needed to go on: agree on a time at which 3 run the new version, or the chain stops there',
  ]);
  assert.deepEqual(warnedNames({ ...low, isPrivateNet: true }), []);
});

test('the standing follows the votes in blocks, until the witnesses have agreed', () => {
  const usual: ChainParameters = testParameters({ max_witnesses: 1, max_voted_witnesses: 1 });
  const parameters = { ...usual, hardforks: appliedHardforks };
  const chain = openChain(parameters);
  const standing = (): HardforkStanding => hardforkStanding(chain.committed, parameters);
  produce(chain);
  const { version: next } = nextHardfork(0);
  const current = protocolVersion(appliedHardforks);
  assert.deepEqual([standing().agreed, standing().votes, standing().supported], [undefined, [], current]);
  const due = chain.head.time + 30;
  const vote = { index: 2, hf_version: next, hf_time: due } as const;
  chain.push(forgedBlock(chain, { header: { extensions: [{ index: 1, version: next }, vote] } }));
  const { votes, scheduled, agreed, required, places, quorum } = standing();
  assert.deepEqual(votes, [{ version: next, time: due, witnesses: ['initminer'] }]);
  assert.deepEqual(
    scheduled.map(({ owner, running_version: version }) => `${owner} ${versionText(version)}`),
    [`initminer ${versionText(next)}`],
  );
  assert.deepEqual([agreed, required, places, quorum], [{ version: next, time: due }, 1, 1, 1]);
  assert.match(warningSentences(standing())[0] ?? '', new RegExp(timeText(due)));
});

test('a hardfork whose time a release has moved is told with both times while the chain goes by the other one', () => {
  const next = nextHardfork(DUE);
  const parameters: ChainParameters = { ...testParameters(), hardforks: [...appliedHardforks, next] };
  const later = { ...parameters, hardforks: [...appliedHardforks, { ...next, time: DUE + 3600 }] };
  const chain = openChain(parameters);
  const told = () => hardforkStanding(chain.committed, later).moved.map(({ by }) => by);
  produce(chain);
  produce(chain);
  const own = hardforkStanding(chain.committed, parameters);
  assert.deepEqual([own.moved, told()], [[], ['voted']]);
  for (let more = 0; more < 60 && told()[0] === 'voted'; more++) produce(chain);
  assert.deepEqual(told(), ['agreed']);
  const warnings = (by: 'applied' | 'agreed' | 'voted') =>
    warningSentences(
      makeStanding(['1.2.0'], { moved: [{ version: next.version, declared: DUE + 3600, time: DUE, by }] }),
    );
  const both = `version 1\\.3\\.0 with the time ${LATER}, and this program declares 2027-01-01T01:00:00 for it: `;
  assert.match(warnings('voted')[0] ?? '', new RegExp(`^most scheduled witnesses vote for ${both}votes for one time`));
  assert.match(warnings('agreed')[0] ?? '', new RegExp(`^the witnesses have agreed on ${both}votes for one time`));
  assert.match(warnings('applied')[0] ?? '', new RegExp(`^the chain has applied ${both}the time of the chain counts`));
});
