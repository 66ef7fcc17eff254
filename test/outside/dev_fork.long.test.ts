import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { FileServer } from '../builders/file_server.ts';
import { pastChain } from '../builders/past_chain.ts';
import { numberMember, textMember, type Json } from './json.ts';
import { agree, inStep, peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { fetchBalance, send, transfer } from './signer.ts';
import { Site } from './site.ts';

// `pharos dev --fork SNAPSHOT`: a chain of one's own that begins with another one's state.

const site = new Site();
const [file, other] = [site.path('state.avro'), site.path('other.avro')];
const SEED = ['--seed', 'mine'];
let server: FileServer;

/** Two chains whose witness's key nobody here needs. */
before(async () => {
  server = await FileServer.open();
  for (const [name, path, blocks] of [
    ['past', file, 90],
    ['other', other, 70],
  ] as const) {
    await pastChain(site.path(name), blocks);
    const { code, stderr } = await site.run([
      'snapshot',
      'create',
      '--data-dir',
      site.path(name, 'chain'),
      '--out',
      path,
    ]);
    assert.equal(code, 0, stderr);
  }
  server.files.set('/state.avro', { bytes: readFileSync(file), etag: '"one"' });
});

after(async () => {
  server.close();
  await site.clear();
});

async function forked(folder: string, ...flags: readonly string[]): Promise<Program> {
  const program = site.start(['dev', '--data-dir', site.path(folder), '--port', '0', '--no-mining', ...flags]);
  await program.ready();
  return program;
}

async function inspected(path: string): Promise<{ readonly chain: string; readonly block: number }> {
  const { stdout } = await site.run(['snapshot', 'inspect', path]);
  const [, chain = '', block = ''] = /^chain ([0-9a-f]{64}) .*\nblock (\d+) /.exec(stdout) ?? assert.fail(stdout);
  return { chain, block: Number(block) };
}

test('a fork begins behind the last block of a snapshot, acts for anybody, goes on after a kill and passes every check', async () => {
  const { chain, block } = await inspected(file);
  const first = await forked('fork', '--fork', file, ...SEED);
  assert.match(
    first.stdout,
    new RegExp(`^ {2}fork +of chain ${chain} behind block ${block}, whose witnesses all sign here$`, 'm'),
  );
  assert.deepEqual([(await first.health()).number, (await first.http('GET', '/readyz', {})).status], [block, 200]);
  const balance = await fetchBalance(first, 'bob');
  await first.result('debug_api.send_unsigned', { op_vec: [transfer('carol', 'bob', '1.000000')] });
  await first.result('debug_api.set_mining', { mode: 'automine' });
  await send(first, [transfer('dave', 'bob', '1.000000')], 'mine impersonator');
  // Accounts have the keys that they had.
  await send(first, [transfer('erin', 'bob', '1.000000')], 'erin');
  assert.equal(await fetchBalance(first, 'bob'), balance + 3_000_000n);
  const head = await first.health();
  first.kill();
  await first.exited;

  const again = await forked('fork', '--fork', file, ...SEED);
  assert.deepEqual(await again.health(), head);
  assert.equal(await again.stop(), 0);
  // The folder says what it is.
  const alone = await forked('fork');
  assert.deepEqual(await alone.health(), head);
  assert.equal(await alone.stop(), 0);
  assert.match((await site.run(['verify', '--data-dir', site.path('fork', 'chain')])).stdout, /: intact\n$/);

  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['--fork', other, ...SEED], /is no fork of .*other\.avro/],
    [['--fork', file], /is no fork of .*state\.avro, or one with another --seed/],
    [['--fork', file, '--accounts', '3'], /a fork has the accounts of its snapshot/],
    [['--seed', 'x'], /was not made with this --seed/],
  ];
  for (const [flags, text] of cases) {
    const { code, stderr } = await site.run(['dev', '--data-dir', site.path('fork'), '--port', '0', ...flags]);
    assert.deepEqual([code, text.test(stderr)], [2, true], `${flags.join(' ')}: ${stderr}`);
  }
  const fresh = await forked('fork', '--fork', other, '--fresh');
  assert.equal((await fresh.health()).number, (await inspected(other)).block);
  assert.equal(await fresh.stop(), 0);
});

test('a fork is followed by whoever has the snapshot, and nobody else', async () => {
  const maker = await forked('maker', '--fork', file, ...SEED, '--p2p-endpoint', '127.0.0.1:0');
  const target = ['--join', `127.0.0.1:${peerPort(maker)}`];
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [
      target,
      /is a fork of chain [0-9a-f]{64}, and nobody sends what it began with: say --fork with the snapshot of block \d+/,
    ],
    [
      [...target, '--fork', other],
      /other\.avro is a snapshot of chain .* and the chain that is to follow it parted from chain/,
    ],
  ];
  for (const [flags, text] of refused) {
    const { code, stderr } = await site.run([
      'dev',
      '--port',
      '0',
      '--data-dir',
      site.path('nowhere', 'follower'),
      ...flags,
    ]);
    assert.deepEqual([code, text.test(stderr), existsSync(site.path('nowhere'))], [2, true, false], stderr);
  }
  const follower = site.start(['dev', '--port', '0', '--data-dir', site.path('follower'), ...target, '--fork', file]);
  await follower.ready();
  const made = await maker.result('debug_api.produce_blocks', { count: 10 });
  await agree([maker, follower], numberMember(made, 'head_block_number') - 1);
  await inStep(follower, 1);
  assert.equal(await follower.stop(), 0);
  const again = site.start(['dev', '--port', '0', '--data-dir', site.path('follower'), ...target]);
  await again.ready();
  const later = await maker.result('debug_api.jump_ahead', { seconds: 86_400 });
  await agree([maker, again], numberMember(later, 'head_block_number') - 1);
  for (const program of [again, maker]) assert.equal(await program.stop(), 0);
  // A node that is no development chain needs a snapshot of the fork itself.
  const genesis = ['--genesis-json', site.path('maker', 'genesis.json')];
  const run = await site.run([
    'run',
    ...genesis,
    '--data-dir',
    site.path('run'),
    '--webserver-http-endpoint',
    '127.0.0.1:0',
  ]);
  assert.deepEqual(
    [run.code, /begins with the state of chain [0-9a-f]{64} behind block \d+, which is not here/.test(run.stderr)],
    [2, true],
    run.stderr,
  );
});

test('a fork is made of an address and of a running node, and kept in a state file', async () => {
  const { block } = await inspected(file);
  const fetched = await forked('fetched', '--fork', server.url('/state.avro'));
  assert.equal((await fetched.health()).number, block);
  const number = numberMember(await fetched.result('debug_api.produce_blocks', { count: 100 }), 'head_block_number');

  const state = ['--state', site.path('kept.avro'), '--port', '0', '--no-mining'];
  const ofNode = site.start(['dev', ...state, '--fork', `http://127.0.0.1:${fetched.port}`]);
  await ofNode.ready();
  const begun = (await ofNode.health()).number;
  assert.ok(begun > block && begun < number, 'what is irreversible there');
  await ofNode.result('debug_api.produce_blocks', { count: 3 });
  assert.equal(await ofNode.stop(), 0);
  // It is in the file now, whatever was forked.
  const kept = site.start(['dev', ...state, '--fork', server.url('/gone.avro')]);
  await kept.ready();
  assert.equal((await kept.health()).number, begun + 3);
  assert.equal(textMember(await kept.result('debug_api.snapshot'), 'id').length, 40);
  for (const program of [kept, fetched]) assert.equal(await program.stop(), 0);

  const cases: readonly (readonly [string, number, RegExp])[] = [
    [site.path('none.avro'), 2, /there is no file/],
    [site.folder, 2, /is no file/],
    [site.path('past', 'genesis.json'), 3, /it is no Avro container file/],
    [server.url('/gone.avro'), 2, /the server answers 404/],
    ['http://127.0.0.1:9/', 1, /no answer from the node/],
  ];
  for (const [source, code, text] of cases) {
    const answer = await site.run(['dev', '--data-dir', site.path('gone', 'deep'), '--port', '0', '--fork', source]);
    assert.deepEqual([answer.code, text.test(answer.stderr)], [code, true], `${source}: ${answer.stderr}`);
    assert.ok(!existsSync(site.path('gone')), source);
  }
  const said: Json = JSON.parse(readFileSync(site.path('fetched', 'genesis.json'), 'utf8'));
  assert.equal(numberMember(said, 'fork.block_number'), block);
  assert.deepEqual(
    readdirSync(site.folder).filter((name) => /running|tmp/.test(name)),
    [],
  );
});
