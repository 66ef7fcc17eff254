import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { agree, peerPort } from './network_nodes.ts';
import { listMember, numberMember, textMember } from './json.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';

const site = new Site();

after(() => site.clear());

const PLAN = ['--hardfork', 'interestVotes@4', '--hardfork', 'bandwidth@6'];

async function started(folder: string, ...flags: readonly string[]): Promise<Program> {
  const program = site.start(['dev', '--data-dir', site.path(folder), '--port', '0', '--no-mining', ...flags]);
  await program.ready();
  return program;
}

async function mined(program: Program, count: number): Promise<string> {
  await program.result('debug_api.produce_blocks', { count });
  return await fetchVersion(program);
}

async function fetchVersion(program: Program): Promise<string> {
  return textMember(await program.result('database_api.get_hardfork_properties'), 'current_hardfork_version');
}

test('--hardfork is kept through a restart, a follower, a verification and a snapshot, and each has the same state', async () => {
  const first = await started('planned', ...PLAN, '--p2p-endpoint', '127.0.0.1:0');
  const follower = site.start([
    ...['dev', '--data-dir', site.path('joined'), '--port', '0'],
    ...['--join', `127.0.0.1:${peerPort(first)}`],
  ]);
  await follower.ready();
  assert.equal(await mined(first, 5), '1.1.0');
  await agree([first, follower], 4);
  assert.equal(await fetchVersion(follower), '1.1.0');
  assert.equal(await first.stop(), 0);

  const again = await started('planned', '--p2p-endpoint', '127.0.0.1:0');
  const planned = await again.result('database_api.get_hardfork_properties');
  assert.equal(numberMember(listMember(planned, 'planned')[0] ?? null, 'block_num'), 6);
  assert.equal(await mined(again, 1), '1.2.0');
  // Without votes of others a block is final a round later.
  await mined(again, 60);
  assert.equal(await again.stop(), 0);
  assert.equal(await follower.stop(), 0);

  const chain = site.path('planned', 'chain');
  const verified = await site.run(['verify', '--data-dir', chain]);
  assert.equal(verified.code, 0, verified.stderr);
  const state = site.path('state.avro');
  const made = await site.run(['snapshot', 'create', '--data-dir', chain, '--out', state]);
  assert.equal(made.code, 0, made.stderr);
  const [, stateHash = ''] = /state hash\s+([0-9a-f]{64})/.exec(made.stdout) ?? [];

  // Blocks are applied anew from the log.
  const log = site.path('block_log');
  const exported = await site.run(['export', '--data-dir', chain, '--block-log', log]);
  assert.equal(exported.code, 0, exported.stderr);
  const genesis = site.path('planned', 'genesis.json');
  const imported = await site.run([
    ...['import', '--genesis', genesis, '--block-log', log, '--data-dir', site.path('imported')],
  ]);
  assert.equal(imported.code, 0, imported.stderr);
  const replayed = await site.run(['verify', '--data-dir', site.path('imported'), '--genesis', genesis]);
  assert.match(replayed.stdout, new RegExp(`state hash ${stateHash}: intact`));
});

test('a fork takes a hardfork that the other chain has not applied, and each start of it has the same plan', async () => {
  const state = site.path('early.avro');
  const early = site.start(['dev', '--state', state, '--port', '0', '--no-mining', '--hardfork', 'bandwidth@1000']);
  await early.ready();
  await mined(early, 3);
  assert.equal(await early.stop(), 0);

  const fork = await started('forked', '--fork', state, '--hardfork', 'bandwidth@5');
  assert.equal(await mined(fork, 1), '1.1.0');
  assert.equal(await mined(fork, 1), '1.2.0');
  assert.equal(await fork.stop(), 0);
  const again = await started('forked', '--fork', state);
  assert.equal(await fetchVersion(again), '1.2.0');
  assert.equal(await again.stop(), 0);
  const other = await site.run([
    ...['dev', '--data-dir', site.path('forked'), '--port', '0', '--fork', state, '--hardfork', 'bandwidth@9'],
  ]);
  assert.equal(other.code, 2);
  assert.match(other.stderr, /is no fork of .*, or one with another --seed or --hardfork/);

  for (const [plan, message] of [
    ['bandwidth@3', /bandwidth: block 3 is in the past of this fork, whose first block is 4/],
    ['interestVotes@9', /the chain has applied interestVotes before block 4: leave it out/],
  ] as const) {
    const flags = ['--fork', state, '--hardfork', plan];
    const refused = await site.run(['dev', '--data-dir', site.path('refused'), '--port', '0', ...flags]);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, message);
    assert.doesNotMatch(refused.stderr, /\n {4}at /);
  }
});

test('a --hardfork that makes no sense is refused with the known names or what is wrong, and nothing is made', async () => {
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [['bandwith@5'], /no hardfork "bandwith", only interestVotes, bandwidth; did you mean bandwidth\?/],
    [['bandwidth'], /NAME@BLOCK expected, such as bandwidth@100/],
    [['bandwidth@0'], /block 1 or a later one expected, got 0/],
    [['bandwidth@-4'], /NAME@BLOCK expected/],
    [['bandwidth@5', 'bandwidth@6'], /bandwidth stands twice: a hardfork is applied once/],
    [
      ['bandwidth@5', 'interestVotes@6'],
      /bandwidth: it comes after interestVotes, so block 6 or a later one expected, got 5/,
    ],
    [['interestVotes@6'], /bandwidth is missing: it comes after interestVotes/],
  ];
  const outcomes = await Promise.all(
    wrong.map(async ([plan]) => {
      const flags = plan.flatMap((each) => ['--hardfork', each]);
      return await site.run(['dev', '--data-dir', site.path('wrong'), '--port', '0', ...flags]);
    }),
  );
  for (const [index, { code, stderr }] of outcomes.entries()) {
    assert.equal(code, 2, stderr);
    assert.match(stderr, wrong[index]?.[1] ?? /never/);
  }
  const joined = await site.run(['dev', '--join', '127.0.0.1:1', '--hardfork', 'bandwidth@5']);
  assert.match(joined.stderr, /'--hardfork <name@block>' cannot be used with option '--join/);
});
