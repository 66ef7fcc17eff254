import assert from 'node:assert/strict';
import { test } from 'node:test';

import { present } from '../../../src/base/assert.ts';
import { healthPages, type HealthParts } from '../../../src/node/http/pages.ts';
import { ProductionRecord } from '../../../src/node/http/production_record.ts';
import type { HardforkStanding } from '../../../src/queries/hardfork_standing.ts';
import type { VotingNews } from '../../../src/voting/voting_news.ts';
import type { NetworkState } from '../../../src/node/network/network_messages.ts';
import { lastConfirmed } from '../../../src/state/last_irreversible.ts';
import { MemoryStore } from '../../../src/storage/memory.ts';
import { View } from '../../../src/storage/view.ts';
import { openChain, produce, testParameters } from '../../builders/chain.ts';
import { makeStanding } from '../../builders/hardfork_standing.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { growSide, HERE, partedChains, partedParameters, THERE } from '../../builders/parted_witnesses.ts';

const parameters = testParameters();

const figures: NetworkState['figures'] = {
  received: { 0: 0, 1: 0, 2: 0, 3: 0 },
  sent: { 0: 0, 1: 0, 2: 0, 3: 0 },
  ...{
    queuedBytes: 0,
    aheadBytes: 0,
    bundles: { taken: 0, known: 0, refused: 0, sent: 0 },
    bans: 0,
    refusedHandshakes: 0,
  },
  offences: {
    malformed: 0,
    lie: 0,
    forged_transaction: 0,
    wrong_hint: 0,
    body_unasked: 0,
    announced_in_vain: 0,
    doubtful_block: 0,
    timeout: 0,
  },
  ...{
    delays: [],
    rebuiltMs: [],
    awaitedBundles: 0,
    aliveWitnesses: 0,
    pool: { transactions: 0, waitingBytes: 0, includedBytes: 0 },
    shortIds: { hit: 0, miss: 0, fallback: 0 },
    clockAheadMs: undefined,
    threadDelaySeconds: 0,
    work: {},
    strangers: { receiving: 0, answering: 0, spare: 0 },
  },
};

const inStep: NetworkState = {
  sync: 'live',
  behindBy: 0,
  inbound: 1,
  outbound: 2,
  isParted: false,
  isSearching: false,
  unconfirmed: undefined,
  medianClockAheadMs: undefined,
  inStep: [],
  sources: [],
  ...{
    isSynced: true,
    contest: undefined,
    contestedByInbound: undefined,
    unproved: { peers: 0, blocks: 0 },
    voices: 2,
  },
  figures,
};

/**
 * The pages of a node whose head is that old, behind blocks of which every so many-th slot has one, and of which the
 * last so many follow a missed one.
 */
function makePages(
  network: NetworkState | 'silent' | undefined,
  { everySlot = 1, missed = 0, ageSeconds = 1, problems = [], voting, readyLag, ...more }: Asked = {},
): Shown {
  const store = new MemoryStore();
  const chain = openChain(parameters, store);
  for (let number = 0; number < 60; number++) produce(chain, everySlot);
  for (let number = 0; number < missed; number++) produce(chain, 2);
  const clock = new HandClock((chain.head.time + ageSeconds) * 1000);
  const clockOffset = 'clockOffset' in more ? more.clockOffset : { seconds: 0 };
  const page = healthPages({
    server: { name: 'node:http', reason: 'as the test says' },
    ...{ rows: new View(store, 10), clock, blockIntervalSeconds: 3, clockOffset },
    network: network && { state: network === 'silent' ? undefined : network },
    production: makeRecord(problems, voting),
    readyLag,
    hardforks: () => more.hardforks ?? makeStanding([]),
    sink: more.stream === undefined ? undefined : { problems: [more.stream] },
  });
  return (path) => {
    const { status, body } = present(page(path), path);
    return { status, said: JSON.parse(String(body)) };
  };
}

type Asked = {
  readonly everySlot?: number;
  readonly missed?: number;
  readonly ageSeconds?: number;
  readonly problems?: readonly string[];
  readonly stream?: string;
  readonly hardforks?: HardforkStanding;
  readonly voting?: VotingNews;
} & Partial<Pick<HealthParts, 'clockOffset' | 'readyLag'>>;
type Shown = (path: string) => {
  readonly status: number;
  readonly said: {
    readonly status: string;
    readonly problems: readonly string[];
    readonly warnings: readonly string[];
    readonly finality?: Readonly<Record<string, unknown>>;
  };
};

function makeRecord(problems: readonly string[], voting: VotingNews | undefined): ProductionRecord {
  const record = new ProductionRecord();
  record.take(problems);
  if (voting !== undefined) record.takeVoting(voting);
  return record;
}

test('a node in step is ready and healthy; one that misses blocks, waits for its first peer or has an old head is behind', () => {
  for (const path of ['/health', '/readyz']) {
    assert.deepEqual([makePages(inStep)(path).status, makePages(inStep)(path).said.status], [200, 'ready']);
    assert.equal(makePages(undefined)(path).status, 200);
    assert.equal(makePages({ ...inStep, sync: 'alone' })(path).status, 200);
    for (const network of [
      { ...inStep, sync: 'behind' as const, behindBy: 5 },
      { ...inStep, sync: 'alone' as const, isSearching: true },
      { ...inStep, unconfirmed: { number: 5, confirmedBy: 2 } },
    ]) {
      const { status, said } = makePages(network)(path);
      assert.deepEqual([status, said.status], [503, 'behind']);
    }
    assert.equal(makePages(inStep, { ageSeconds: 31 })(path).status, 503);
    // Of a chain that sets its own time, no head is old.
    assert.equal(makePages(inStep, { ageSeconds: 86_400, clockOffset: undefined })(path).status, 200);
  }
});

test('a node that waits for peers which have the block of its snapshot says so', () => {
  const { said } = makePages({ ...inStep, unconfirmed: { number: 5, confirmedBy: 2 } })('/readyz');
  assert.match(said.problems.join(), /^block 5, .* in the chains of 2 of 3 peers/);
});

const CONTEST = { number: 7, agreeing: 1, contradicting: 1, isContradictedByPinned: false, isOpen: true };

test('a contest is named with what to do, whether the node stands still for it or goes on', () => {
  const stopped = makePages({ ...inStep, sync: 'contested', isSynced: false, contest: CONTEST });
  for (const path of ['/health', '/readyz']) {
    assert.deepEqual([stopped(path).status, stopped(path).said.status], [503, 'behind']);
    assert.match(
      stopped(path).said.problems.join(),
      /^contested: block 7, .* fetches nothing until .* give a checkpoint, .*p2p-seed-node = id@host:port/,
    );
  }
  const goesOn = makePages({ ...inStep, contest: { ...CONTEST, isOpen: false } });
  assert.deepEqual([goesOn('/health').said.status, goesOn('/readyz').status], ['error', 200]);
  assert.match(goesOn('/health').said.problems.join(), /^contested: .*the chain has split here, or they lie/);
  const lone = makePages({ ...inStep, contest: { ...CONTEST, isOpen: false, agreeing: 3 } })('/health');
  assert.deepEqual([lone.status, lone.said.problems], [200, []]);
  assert.match(
    lone.said.warnings.join(),
    /^a contradiction: block 7, irreversible here, is another one for 1 of 4 groups/,
  );
});

test('a version that this program does not know is a warning while it is voted for, and a problem once it is agreed on', () => {
  const voted = makeStanding(['1.3.0', '1.2.0'], { votes: ['1.3.0'] });
  const { status, said } = makePages(inStep, { hardforks: voted })('/health');
  assert.deepEqual([status, said.status, said.problems], [200, 'ready', []]);
  assert.match(said.warnings.join(), /^1 of 2 scheduled witnesses run or vote for version 1\.3\.0, .*: install/);
  const agreed = { ...voted, agreed: { version: 0x103_0000, time: 1_800_000_000 } };
  const shown = makePages(inStep, { hardforks: agreed });
  assert.deepEqual([shown('/health').status, shown('/readyz').status, shown('/health').said.warnings], [503, 200, []]);
  assert.match(shown('/health').said.problems.join(), /agreed on version 1\.3\.0, .* this node stops .* at 2027-01-15/);
});

test('what strangers can cause is a warning, and changes no status', () => {
  for (const [network, sentence] of [
    [{ ...inStep, unproved: { peers: 2, blocks: 5 } }, /^claims without evidence: 2 of the peers .* up to 5 blocks/],
    [{ ...inStep, voices: 1 }, /^no peer of another group: .*p2p-seed-node/],
    [{ ...inStep, outbound: 0, voices: 0 }, /^this node has chosen none of its peers/],
  ] as const) {
    const { status, said } = makePages(network)('/health');
    assert.deepEqual([status, said.status, said.problems], [200, 'ready', []]);
    assert.match(said.warnings.join(), sentence);
  }
  assert.deepEqual(makePages(inStep)('/health').said.warnings, []);
});

test('a node with seeds of which it has met none is not ready, however many strangers have come', () => {
  const { status } = makePages({ ...inStep, isSearching: true, outbound: 0, inbound: 9, voices: 0 })('/readyz');
  assert.equal(status, 503);
});

test('a node that has not heard of its network yet is not ready', () => {
  assert.equal(makePages('silent')('/readyz').status, 503);
});

test('how far a ready node may lag, in blocks of its peers and in the age of its head, is a setting', () => {
  const behind = (behindBy: number): NetworkState => ({ ...inStep, sync: behindBy > 1 ? 'behind' : 'live', behindBy });
  const readyLag = { blocks: 5, seconds: 60 };
  for (const [network, asked, status] of [
    [behind(1), {}, 200],
    [behind(2), {}, 503],
    [behind(5), { readyLag }, 200],
    [behind(6), { readyLag }, 503],
    [{ ...inStep, sync: 'contested' as const }, { readyLag }, 503],
    [inStep, { readyLag, ageSeconds: 60 }, 200],
    [inStep, { readyLag, ageSeconds: 61 }, 503],
    [inStep, { readyLag: { blocks: undefined, seconds: 6 }, ageSeconds: 7 }, 503],
  ] as const)
    assert.equal(makePages(network, asked)('/readyz').status, status, JSON.stringify([network.behindBy, asked]));
});

test('a clock that is wrong by more than four seconds is an error of /health, and the node goes on serving', () => {
  for (const [clockAheadMs, isWrong] of [
    [4100, true],
    [-4100, true],
    [3900, false],
    [-3900, false],
  ] as const) {
    const page = makePages({ ...inStep, figures: { ...figures, clockAheadMs } });
    assert.equal(page('/readyz').status, 200);
    const { status, said } = page('/health');
    assert.deepEqual([status, said.status], isWrong ? [503, 'error'] : [200, 'ready']);
    assert.equal(/clocks of peers are -?4\.1 s ahead/.test(said.problems.join()), isWrong);
  }
});

test('too few filled slots in the last round are an error of /health, where slots are kept', () => {
  const halted = makePages(inStep, { everySlot: 2 })('/health');
  assert.deepEqual([halted.status, halted.said.status], [503, 'error']);
  assert.match(halted.said.problems.join(), /2[56] of the last 51 slots have a block/);
  assert.equal(makePages(inStep, { everySlot: 2 })('/readyz').status, 200);
  assert.equal(makePages(undefined, { everySlot: 2, clockOffset: undefined })('/health').status, 200);
  assert.equal(
    makePages({ ...inStep, sync: 'behind', behindBy: 9 }, { everySlot: 2 })('/health').said.status,
    'behind',
  );
});

test('38 of 51 producers are too few and 39 enough, and slots that have passed since the head count', () => {
  for (const [asked, filled] of [
    [{ missed: 12 }, undefined],
    [{ missed: 13 }, 38],
    // Of the slots since the head the last one may still be filled.
    [{ missed: 6, ageSeconds: 23 }, undefined],
    [{ missed: 6, ageSeconds: 24 }, 38],
  ] as const) {
    const { status, said } = makePages(inStep, asked)('/health');
    assert.equal(status, filled === undefined ? 200 : 503, JSON.stringify(asked));
    assert.match(
      said.problems.join(),
      filled === undefined ? /^$/ : new RegExp(`only ${filled} of the last 51 slots have a block: look`),
    );
  }
});

test('what the production of blocks says to its operator is an error of /health, and the node goes on serving', () => {
  const page = makePages(inStep, { problems: ['another machine signs'] });
  const { status, said } = page('/health');
  assert.deepEqual([status, said.status, said.problems], [503, 'error', ['another machine signs']]);
  assert.deepEqual([page('/readyz').status, page('/readyz').said.status], [200, 'ready']);
});

test('an event stream that is not written is an error of /health, and the node goes on serving', () => {
  const page = makePages(inStep, { stream: 'the event stream is 7 blocks behind' });
  const { status, said } = page('/health');
  assert.deepEqual([status, said.status, said.problems], [503, 'error', ['the event stream is 7 blocks behind']]);
  assert.equal(page('/readyz').status, 200);
});

test('how votes stand is told for programs, what is doubtful changes the status, and what others do does not', () => {
  const news = {
    ...{ epoch: 3, voters: 7, quorum: 5, missing: 1, missingNames: ['alice'], stalledSince: undefined },
    ...{ certificate: { blockNumber: 90, time: 7, votes: 6 }, problems: [], warnings: ['bob has voted twice'] },
  };
  const page = makePages(inStep, { voting: news })('/health');
  assert.deepEqual([page.status, page.said.warnings], [200, ['bob has voted twice']]);
  assert.deepEqual(page.said.finality, {
    ...{ epoch: 3, voters: 7, quorum: 5, missing: 1, missing_names: ['alice'] },
    ...{ certificate_block_number: 90, certificate_votes: 6, stalled_since: null },
  });
  const stalled = { ...news, certificate: undefined, stalledSince: 1_000_000, problems: ['finality stands still'] };
  const bad = makePages(inStep, { voting: stalled })('/health');
  assert.deepEqual([bad.status, bad.said.status, bad.said.problems], [503, 'error', ['finality stands still']]);
  const { certificate_block_number: block, stalled_since: since } = bad.said.finality ?? {};
  assert.deepEqual([block, since], [null, '1970-01-12T13:46:40']);
  assert.equal(makePages(inStep)('/health').said.finality, undefined);
});

test('where votes make blocks irreversible, the confirmed block is told beside the irreversible one, and nowhere else', () => {
  const [voting, confirming] = [partedParameters({ finality: true }), partedParameters()].map((each) => {
    const store = new MemoryStore();
    const { here } = partedChains(each, store);
    growSide(here, [...HERE, ...THERE], 12);
    const page = healthPages({
      server: { name: 'node:http', reason: 'as the test says' },
      ...{ rows: new View(store, 10), clock: new HandClock(0), blockIntervalSeconds: 3, hasFinality: each.hasFinality },
      ...{
        clockOffset: undefined,
        network: undefined,
        production: { problems: [] },
        readyLag: undefined,
        sink: undefined,
      },
    })('/health');
    const said: Record<string, unknown> = JSON.parse(String(page?.body));
    return { said, confirmed: lastConfirmed(here.committed) };
  });
  assert.ok(voting !== undefined && confirming !== undefined);
  assert.deepEqual(
    [voting.said['irreversible_block_number'], voting.said['confirmed_block_number']],
    [0, voting.confirmed],
  );
  assert.ok(voting.confirmed > 0);
  assert.equal(confirming.said['irreversible_block_number'], confirming.confirmed);
  assert.ok(!('confirmed_block_number' in confirming.said));
});
