import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CallsByClient } from '../../../src/jsonrpc/limits/calls_by_client.ts';
import { MethodTimes } from '../../../src/jsonrpc/limits/method_times.ts';
import { DiskRoom } from '../../../src/node/watch/disk_room.ts';
import { MethodLoad } from '../../../src/node/watch/method_load.ts';
import { NodeWatch, type WatchedParts, type WatchedPeers } from '../../../src/node/watch/node_watch.ts';
import { topPage, type Top } from '../../../src/node/watch/top_page.ts';
import { makeStanding } from '../../builders/hardfork_standing.ts';
import { HandClock } from '../../builders/hand_clock.ts';
import { threadTime } from '../../../src/node/watch/processor_load.ts';

const NOBODY: WatchedPeers = {
  ...{
    sync: 'alone',
    behindBy: 0,
    contest: undefined,
    contestedByInbound: undefined,
    unproved: { peers: 0, blocks: 0 },
    voices: 0,
    inbound: 0,
    outbound: 0,
    work: {},
    strangers: { receiving: 0, answering: 0, spare: 0 },
  },
};
const CONTEST = { number: 7, agreeing: 1, contradicting: 1, isContradictedByPinned: false, isOpen: true };

interface Watched {
  readonly clock: HandClock;
  readonly watch: NodeWatch;
  readonly times: MethodTimes;
  readonly clients: CallsByClient;
  readonly said: string[];
}

function watching(parts: Partial<WatchedParts> = {}): Watched {
  const clock = new HandClock(1_000_000_000);
  const times = new MethodTimes();
  const clients = new CallsByClient(clock);
  const said: string[] = [];
  const head = (): { number: number; time: number } => ({ number: 7, time: clock.nowMs() / 1000 });
  const watch = new NodeWatch({
    ...{
      clock,
      times,
      clients,
      callsPerSecond: 50,
      dataFolder: undefined,
      blockIntervalSeconds: 3,
      head,
      isTimed: true,
    },
    log: { warning: (text) => void said.push(text), notice: (text) => void said.push(text) },
    waits: (method) => method === 'a.wait',
    processors: {
      look: () => {},
      shares: { thread: 0.5, threadUsed: 0.5, threadWaited: 0, machine: 0.97, process: 0.9 },
    },
    peers: () => undefined,
    finality: () => ({ irreversible: 5, confirmed: undefined, voting: undefined }),
    hardforks: () => makeStanding([]),
    ...parts,
  });
  return { clock, watch, times, clients, said };
}

test('the disk is full when what is left has gone at the rate of the last hour, and one that does not fill never is', () => {
  const disk = new DiskRoom();
  for (let minute = 0; minute <= 9; minute++) disk.take(10_000 - 10 * minute, 60 * minute);
  assert.equal(disk.fullInSeconds(), undefined, 'nine minutes tell nothing');
  for (let minute = 10; minute <= 30; minute++) disk.take(10_000 - 10 * minute, 60 * minute);
  assert.equal(disk.fullInSeconds(), 970 * 60);
  for (let minute = 31; minute <= 95; minute++) disk.take(9700, 60 * minute);
  assert.equal(disk.fullInSeconds(), undefined, 'the growth of more than an hour ago is over');
  assert.equal(disk.freeBytes, 9700);
});

test('methods are told by what they took since then, those that wait by their calls only', () => {
  const times = new MethodTimes();
  const load = new MethodLoad(times, 2);
  times.answered('a.old', 60_000, false);
  load.look();
  times.answered('a.slow', 200, false);
  times.answered('a.wait', 3000, true);
  for (let k = 0; k < 5000; k++) times.repeated('a.quick');
  const waits = (method: string): boolean => method === 'a.wait';
  assert.deepEqual(load.since(1, waits), [
    { method: 'a.slow', calls: 1, repeated: 0, refused: 0, seconds: 0.2 },
    { method: 'a.quick', calls: 5000, repeated: 5000, refused: 0, seconds: 0 },
    { method: 'a.wait', calls: 1, repeated: 0, refused: 1, seconds: 3 },
  ]);
  load.look();
  assert.deepEqual(load.since(1, waits), []);
  assert.equal(load.since(2, waits).length, 3);
});

test('clients beyond the limit are named once a minute, and those who only come to it are not', () => {
  const { clock, clients, said, watch } = watching();
  clients.overLimit(clients.of('10.0.0.1'), 99);
  clock.pass(10_000);
  assert.deepEqual(said, []);
  for (let k = 0; k < 20; k++) {
    clients.overLimit(clients.of('10.0.0.2'), 100);
    clock.pass(1000);
  }
  assert.equal(said.length, 1);
  assert.match(
    String(said[0]),
    /^max-calls-per-second is 50, and more was asked for in the last minute by 10\.0\.0\.2 \(\d+ calls, \d+ refused\)$/,
  );
  watch.stop();
  clients.overLimit(clients.of('10.0.0.2'), 10_000);
  clock.pass(600_000);
  assert.equal(said.length, 1);
});

test('a version that this program does not know is said each hour, and a threshold out of reach once somebody votes', () => {
  const standings = [
    makeStanding(['1.2.0', '1.2.0'], { required: 31, places: 51 }),
    makeStanding(['1.2.0', '1.2.0'], { required: 31, places: 51, votes: ['1.3.0'], supported: 0x103_0000 }),
    makeStanding(['1.3.0', '1.2.0'], { votes: ['1.3.0'] }),
  ];
  for (const [standing, sentence] of [
    [standings[0], undefined],
    [standings[1], /^1 of 2 scheduled witnesses vote for version 1\.3\.0, and 31 votes are needed/],
    [standings[2], /^1 of 2 scheduled witnesses run or vote for version 1\.3\.0, .* does not know/],
  ] as const) {
    const { clock, said } = watching({ hardforks: () => standing ?? assert.fail() });
    clock.pass(600_000);
    const lines = said.filter((line) => line.includes('votes '));
    assert.equal(lines.length, sentence === undefined ? 0 : 1);
    if (sentence !== undefined) assert.match(String(lines[0]), sentence);
    clock.pass(3_600_000);
    assert.equal(said.filter((line) => line.includes('votes ')).length, sentence === undefined ? 0 : 2);
  }
});

test('a thread that does nothing but answer is said with what it answers and for whom, and a machine that others use with their part', () => {
  const { clock, times, clients, said } = watching({
    processors: {
      look: () => {},
      shares: { thread: 0.97, threadUsed: 0.95, threadWaited: 0.02, machine: 0.96, process: 0.4 },
    },
  });
  for (let k = 0; k < 30; k++) times.answered('a.slow', 300, false);
  for (const [address, weight] of [
    ['10.0.0.1', 80],
    ['10.0.0.2', 20],
  ] as const)
    Object.assign(clients.of(address), { calls: 1, weight });
  clock.pass(10_000);
  assert.deepEqual(said, [
    "calls wait: the thread that answers them was busy 97 % of the last 10 seconds; most of it took a.slow, called 30 times; of the last minute's calls 80 % were those of 10.0.0.1; pharos top shows more",
    'the processors of this machine were busy 96 % of the last 10 seconds, with this node 40 %: other programs take the time that it may need',
  ]);
  clock.pass(50_000);
  assert.equal(said.length, 2);
  clock.pass(10_000);
  assert.equal(said.length, 4);
});

test('a busy machine or a slow disk is said, and no method is blamed for it', () => {
  for (const [threadUsed, threadWaited, expected] of [
    [
      0.4,
      0.55,
      'it had a processor for 40 % and waited 55 % for one, which other programs or threads had; no call is to blame',
    ],
    [
      0.8,
      0.17,
      'it had a processor for 80 % and waited 17 % for one, which other programs or threads had; no call is to blame',
    ],
    [0.2, 0.05, 'it had a processor for 20 % and was blocked for 72 %, as by a slow disk; no call is to blame'],
    [0.2, undefined, 'it had a processor for 20 % and was blocked for 77 %, as by a slow disk; no call is to blame'],
  ] as const) {
    const { clock, times, said } = watching({
      processors: { look: () => {}, shares: { thread: 0.97, threadUsed, threadWaited, machine: 0.5, process: 0.4 } },
    });
    for (let k = 0; k < 30; k++) times.answered('a.slow', 300, false);
    clock.pass(10_000);
    assert.deepEqual(said, [
      `calls wait: the thread that answers them was held up; of the last 10 seconds ${expected}`,
    ]);
  }
  // Where the system does not tell, it is as before.
  const { clock, times, said } = watching({
    processors: {
      look: () => {},
      shares: { thread: 0.97, threadUsed: undefined, threadWaited: undefined, machine: 0.5, process: 0.4 },
    },
  });
  times.answered('a.slow', 300, false);
  clock.pass(10_000);
  assert.match(said[0] ?? '', /busy 97 % of the last 10 seconds; most of it took a\.slow/);
});

test(
  'the time of a thread goes on while it works, and stands while it sleeps',
  { skip: threadTime() === undefined && 'nothing tells' },
  () => {
    const spent = (act: () => void): number => {
      const before = threadTime();
      act();
      return (threadTime()?.usedMs ?? 0) - (before?.usedMs ?? 0);
    };
    const asleep = spent(() => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50));
    const working = spent(() => {
      const usage = process.cpuUsage();
      while (process.cpuUsage(usage).user < 50_000);
    });
    assert.ok(working > 2 * asleep, `${working} ms at work, ${asleep} ms asleep`);
  },
);

test('an old head is said with its reason once a minute until blocks come again, not while blocks are fetched', () => {
  let time = 1_000_000;
  let peers: WatchedPeers = NOBODY;
  const { clock, said } = watching({ head: () => ({ number: 9, time }), peers: () => peers });
  clock.pass(20_000);
  assert.deepEqual(said, []);
  clock.pass(80_000);
  assert.deepEqual(said, [
    'the last block, 9, is 30 seconds old: this node has no peers; pharos peers shows them',
    'the last block, 9, is 90 seconds old: this node has no peers; pharos peers shows them',
  ]);
  peers = { ...NOBODY, sync: 'behind', outbound: 2, voices: 2, behindBy: 4 };
  clock.pass(120_000);
  assert.equal(said.length, 2);
  time = clock.nowMs() / 1000;
  clock.pass(10_000);
  assert.equal(said.at(-1), 'blocks come again');
  for (const [standing, sentence] of [
    [{}, /its 2 peers, of 2 groups, have given none later: the chain stands, or all of these are cut off/],
    [{ voices: 1 }, /its 2 peers have given none later; no peer of another group/],
    [
      { voices: 0, outbound: 0, inbound: 2 },
      /its 2 peers have given none later; this node has chosen none of its peers/,
    ],
    [
      { unproved: { peers: 1, blocks: 5 } },
      /have given none later; 1 of them claim later ones and have delivered none/,
    ],
    [
      { contest: CONTEST },
      /contested: block 7, irreversible here, is another one for 1 of 2 groups .* fetches nothing until/,
    ],
  ] as const) {
    peers = { ...NOBODY, sync: 'live', outbound: 2, voices: 2, ...standing };
    clock.pass(30_000);
    assert.match(String(said.at(-1)), sentence);
    if (!('contest' in standing)) assert.doesNotMatch(String(said.at(-1)), /contested/);
  }
});

test('a network thread that does nothing but answer is said with what it answers', () => {
  let work: Record<string, number> = {};
  const { clock, said, watch } = watching({ peers: () => ({ ...NOBODY, inbound: 1, work }) });
  clock.pass(10_000);
  work = { range_request: 7000, block: 2500, ping: 10 };
  clock.pass(10_000);
  assert.equal(
    said.at(-1),
    'the network thread was busy 95 % of the last 10 seconds, most of it with range_request 70 %, block 25 %, ping 0 %: blocks may come late; pharos top shows more',
  );
  assert.equal(watch.networkShare()?.kinds[0]?.kind, 'range_request');
  clock.pass(10_000);
  assert.equal(watch.networkShare()?.busy, 0);
});

test('the page tells programs of this machine, and nobody else', () => {
  const { watch, times, clients } = watching();
  times.answered('a.wait', 3000, false);
  for (const [address, weight] of [
    ['10.0.0.1', 30],
    ['10.0.0.2', 90],
  ] as const) {
    const tally = clients.of(address);
    tally.calls++;
    tally.weight += weight;
  }
  const page = topPage(watch);
  assert.equal(page('/node', { isLocal: true }), undefined);
  const refused = page('/node/top.json', { isLocal: false });
  assert.equal(refused?.status, 403);
  assert.equal(String(refused.body).includes('10.0.0'), false);
  const top: Top = JSON.parse(String(page('/node/top.json', { isLocal: true })?.body));
  assert.deepEqual(top.clients, [
    { address: '10.0.0.2', calls: 1, refused: 0, percent: 75 },
    { address: '10.0.0.1', calls: 1, refused: 0, percent: 25 },
  ]);
  assert.deepEqual(top.methods, [{ method: 'a.wait', calls: 1, repeated: 0, refused: 0, seconds: 3, waits: true }]);
  assert.deepEqual([top.peers, top.disk_free_mib, top.disk_full_in_hours], [-1, -1, -1]);
});

test('the page tells what is irreversible, what is confirmed beside it, and how votes stand', () => {
  const shown = (finality: WatchedParts['finality']): Top => {
    const { watch } = watching({ finality });
    return JSON.parse(String(topPage(watch)('/node/top.json', { isLocal: true })?.body));
  };
  const plain = shown(() => ({ irreversible: 5, confirmed: undefined, voting: undefined }));
  assert.deepEqual([plain.irreversible_block_number, plain.confirmed_block_number, plain.finality], [5, -1, null]);
  const voting = { epoch: 2, voters: 4, quorum: 3, missing: 1, missingNames: ['alice'], stalledSince: 1_000_000 };
  const votes = shown(() => ({ irreversible: 9, confirmed: 5, voting }));
  assert.deepEqual([votes.irreversible_block_number, votes.confirmed_block_number], [9, 5]);
  assert.deepEqual(votes.finality, {
    ...{ epoch: 2, voters: 4, quorum: 3, missing: 1, missing_names: ['alice'] },
    stalled_since: '1970-01-12T13:46:40',
  });
});
