import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { numberMember, textMember, type Json } from './json.ts';
import { agree, peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { fetchBalance, send, signed, makeTransaction, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

const site = new Site();

after(() => site.clear());

async function started(folder: string, ...flags: readonly string[]): Promise<Program> {
  const program = site.start(['dev', '--data-dir', site.path(folder), '--port', '0', ...flags]);
  await program.ready();
  return program;
}

/** The private key of a text, by a command that knows nothing of chains. */
async function readWif(text: string): Promise<string> {
  const pair: Json = JSON.parse((await site.run(['keys', '--seed', text])).stdout);
  return textMember(pair, 'wif_priv_key');
}

test('each block and each transaction is a line on the console, in words and with its id', async () => {
  const program = await started('lines', '--block-interval-ms', '200');
  const { id, block } = await send(program, [transfer('alice', 'bob', '1.500000', 'hel\u001B[2Jlo')], 'alice');
  const line = await waitUntil('the line of the transfer', () =>
    program.stdout.split('\n').find((each) => each.includes(id)),
  );
  assert.match(line, /^ {2}[0-9a-f]{40} {2}transfer: from=alice to=bob amount=1\.500000 COIN memo=hel\\x1b\[2Jlo$/);
  const lines = program.stdout.split('\n');
  assert.match(
    lines[lines.indexOf(line) - 1] ?? '',
    new RegExp(`^block ${block} {2}\\d{4}-\\d\\d-\\d\\dT\\S+ {2}by initminer {2}1 transaction$`),
  );
  await waitUntil('an empty block', () => /^block \d+ .* empty$/m.test(program.stdout) || undefined);

  await program.result('debug_api.set_mining', { mode: 'none' });
  const snapshot = await program.result('debug_api.snapshot');
  const last = numberMember(await program.result('debug_api.produce_blocks', { count: 200 }), 'head_block_number');
  await program.result('debug_api.revert', snapshot);
  await waitUntil(
    'what was undone',
    () => program.stdout.includes(`undone: blocks ${last - 199} to ${last}\n`) || undefined,
  );
  assert.equal(await program.stop(), 0);
});

test('--silent says nothing of blocks, and a restart shows what accounts have now', inLongForm, async () => {
  const first = await started('silent', '--silent', '--automine');
  await send(first, [transfer('alice', 'bob', '7.000000')], 'alice');
  assert.equal(await first.stop(), 0);
  assert.doesNotMatch(first.stdout, /^block \d/m);
  assert.match(first.stdout, /^ {2}bob .* 10000000\.000000 COIN$/m);
  const second = await started('silent', '--silent', '--automine');
  assert.match(second.stdout, /^ {2}bob .* 10000007\.000000 COIN$/m);
  assert.match(second.stdout, /^ {2}alice .* 9999992\.990000 COIN$/m);
  assert.equal(await second.stop(), 0);
});

test(
  'a chain has as many accounts as it was asked for, with keys that follow from the seed, and keeps both',
  inShortForm,
  async () => {
    const program = await started('seeded', '--accounts', '12', '--seed', 'my seed', '--automine', '--list-accounts');
    const shown = program.stdout.split('\n').filter((line) => /^ {2}\w+ +5[1-9A-Za-z]{50} /.test(line));
    assert.equal(shown.length, 13);
    assert.match(program.stdout, new RegExp(`^ {2}user12 +${await readWif('my seed user12')} `, 'm'));
    assert.match(program.stdout, new RegExp(`^ {2}alice +${await readWif('my seed alice')} `, 'm'));
    assert.equal(await program.stop(), 0);
    for (const [flag, value] of [
      ['--seed', 'other'],
      ['--accounts', '13'],
    ] as const) {
      const { code, stderr } = await site.run(['dev', '--data-dir', site.path('seeded'), '--port', '0', flag, value]);
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`not made with this ${flag}.*--fresh`));
    }
    // The witness goes on with its key of that seed, without being told.
    const again = await started('seeded', '--no-mining');
    assert.equal(again.stdout.split('\n').filter((line) => /^ {2}\w+ +5[1-9A-Za-z]{50} /.test(line)).length, 3);
    assert.match(again.stdout, /^ {2}and 10 more: --list-accounts shows all$/m);
    assert.match(again.stdout, new RegExp(await readWif('my seed alice')));
    await again.result('debug_api.produce_blocks', { count: 2 });
    assert.equal(await again.stop(), 0);
    for (const [count, text] of [
      ['1001', /at most 1000/],
      ['-1', /a whole number, 0 or more, expected/],
      ['ten', /a whole number, 0 or more, expected/],
    ] as const) {
      const { code, stderr } = await site.run(['dev', '--data-dir', site.path('many'), '--accounts', count]);
      assert.deepEqual([code, text.test(stderr)], [2, true], stderr);
    }
  },
);

test(
  'without mining there is a block when one is ordered, with automine when there is a transaction',
  inShortForm,
  async () => {
    const program = await started('ordered', '--no-mining');
    const trx = await signed(program, await makeTransaction(program, [transfer('alice', 'bob', '3.000000')]), 'alice');
    await program.result('network_broadcast_api.broadcast_transaction', { trx });
    assert.equal((await program.health()).number, 0);
    assert.equal(numberMember(await program.result('debug_api.produce_blocks'), 'head_block_number'), 1);
    assert.equal(await fetchBalance(program, 'bob'), 10_000_003_000_000n);

    await program.result('debug_api.set_mining', { mode: 'automine' });
    for (const block of [2, 3])
      assert.equal((await send(program, [transfer('alice', 'bob', '1.000000', `${block}`)], 'alice')).block, block);
    const refused = await program.refusal('debug_api.set_mining', { mode: 'never' });
    assert.equal(refused.name, 'bad_member');

    await program.result('debug_api.set_mining', { mode: 'none' });
    const late = await signed(
      program,
      await makeTransaction(program, [transfer('alice', 'carol', '3.000000')]),
      'alice',
    );
    await program.result('network_broadcast_api.broadcast_transaction', { trx: late });
    assert.equal((await program.health()).number, 3);
    // What waits gets its block at once.
    assert.equal(
      numberMember(await program.result('debug_api.set_mining', { mode: 'automine' }), 'head_block_number'),
      4,
    );
    await program.result('debug_api.set_mining', { mode: 'interval' });
    await waitUntil('a block of its slot', async () => (await program.health()).number > 4 || undefined);
    assert.equal(await program.stop(), 0);
  },
);

test('a test acts as any account, and who follows or checks the chain agrees', inLongForm, async () => {
  const maker = await started('acted', '--automine', '--p2p-endpoint', '127.0.0.1:0', '--seed', 'acting');
  const follower = await started('follows', '--join', `127.0.0.1:${peerPort(maker)}`);
  const payment = [transfer('carol', 'bob', '4.000000')];
  // The same twice, and an owner's authority.
  for (let times = 0; times < 2; times++)
    await maker.result('debug_api.send_unsigned', { op_vec: payment, wait: true });
  assert.equal(await fetchBalance(maker, 'bob'), 10_000_008_000_000n);
  const deletion = ['account_delete', { account: 'heidi' }];
  const done = await maker.result('debug_api.send_unsigned', { op_vec: [deletion], wait: true });
  assert.equal(numberMember(done, 'block_num'), 3);
  // A program with keys of its own signs with the key that is printed.
  const wif = await readWif('acting impersonator');
  assert.match(maker.stdout, new RegExp(`^ +${wif} `, 'm'));
  const op = transfer('frank', 'grace', '1.000000');
  await maker.result('alexandria_api.send_and_sign_operation', { op, pk: wif });
  await agree([maker, follower], 3);
  assert.equal((await follower.refusal('debug_api.send_unsigned', { op_vec: payment })).name, 'method_not_found');
  const head = await maker.health();
  assert.equal((await follower.health()).stateHash, head.stateHash);
  // What others know as irreversible stays, and what is not they take back too.
  const final = await maker.result('debug_api.snapshot');
  await maker.result('debug_api.produce_blocks', { count: 60 });
  const reversible = await maker.result('debug_api.snapshot');
  await maker.result('debug_api.produce_blocks', { count: 10 });
  await agree([maker, follower], 73);
  assert.match(
    (await maker.refusal('debug_api.revert', final)).message,
    /without --p2p-endpoint, whose followers would not go along/,
  );
  await maker.result('debug_api.revert', reversible);
  await maker.result('debug_api.produce_blocks', { count: 20 });
  await agree([maker, follower], 83);
  for (const program of [follower, maker]) assert.equal(await program.stop(), 0);
  for (const folder of ['acted', 'follows']) {
    const { code, stderr } = await site.run(['verify', '--data-dir', site.path(folder, 'chain')]);
    assert.equal(code, 0, stderr);
  }
});

test(
  'a chain without an impersonator says so, and one with it is no place for a witness with peers',
  inLongForm,
  async () => {
    const first = await started('old', '--no-mining');
    assert.equal(await first.stop(), 0);
    const genesis: Json = JSON.parse(readFileSync(site.path('old', 'genesis.json'), 'utf8'));
    writeFileSync(site.path('with.json'), JSON.stringify(genesis));
    const { impersonator, ...without } = Object(genesis);
    assert.match(String(impersonator), /^PHR/);
    writeFileSync(site.path('old', 'genesis.json'), JSON.stringify(without));
    rmSync(site.path('old', 'chain'), { recursive: true });
    const old = await started('old', '--no-mining');
    assert.doesNotMatch(old.stdout, /impersonator/);
    const refused = await old.refusal('debug_api.send_unsigned', { op_vec: [transfer('carol', 'bob', '4.000000')] });
    assert.equal(refused.name, 'no_impersonator');
    assert.match(refused.message, /pharos dev --fresh/);
    assert.equal(await old.stop(), 0);

    const run = [
      'run',
      '--genesis-json',
      site.path('with.json'),
      '--data-dir',
      site.path('run'),
      '--webserver-http-endpoint',
      '127.0.0.1:0',
    ];
    const witness = [
      '--witness',
      'initminer',
      '--private-key',
      await readWif('initminer'),
      '--p2p-endpoint',
      '127.0.0.1:0',
    ];
    const { code, stderr } = await site.run([...run, ...witness]);
    assert.equal(code, 2);
    assert.match(stderr, /names an impersonator.*accept-impersonator/);
    for (const more of [[], [...witness, '--accept-impersonator']]) {
      const program = site.start([...run, ...more]);
      await program.ready();
      assert.match(program.stderr, /ANYBODY CAN SPEND EVERYTHING ON THIS CHAIN/);
      assert.equal(await program.stop(), 0);
    }
  },
);

test('with --witnesses several witnesses of the node share the slots, also after a restart that does not say so', async () => {
  const makers = (program: Program): number =>
    new Set(Array.from(program.stdout.matchAll(/^block \d+ .* by (\w+) /gm), ([, name]) => name)).size;
  const first = await started('shared', '--witnesses', '4', '--block-interval-ms', '100', '--accounts', '3');
  await waitUntil('blocks of four witnesses', () => makers(first) === 4 || undefined);
  assert.doesNotMatch(first.stdout, /^ {2}witness2/m, 'they are no accounts to play with');
  assert.equal(await first.stop(), 0);
  const second = await started('shared', '--block-interval-ms', '100', '--accounts', '3');
  await waitUntil('blocks of four witnesses again', () => makers(second) === 4 || undefined);
  assert.equal(await second.stop(), 0);
  const other = await site.run(['dev', '--data-dir', site.path('shared'), '--witnesses', '5']);
  assert.deepEqual([other.code, /was not made with this --witnesses 5/.test(other.stderr)], [2, true], other.stderr);
  const many = await site.run(['dev', '--data-dir', site.path('never'), '--witnesses', '52']);
  assert.deepEqual([many.code, /at most 51 expected/.test(many.stderr)], [2, true], many.stderr);
});

test('flags that contradict each other are refused, each with the reason', async () => {
  for (const flags of [
    ['--automine', '--no-mining'],
    ['--undo-blocks', '5', '--p2p-endpoint', '127.0.0.1:0'],
    ['--automine', '--block-interval-ms', '5'],
    ['--no-mining', '--block-interval-ms', '5'],
  ]) {
    const { code, stderr } = await site.run(['dev', '--data-dir', site.path('never'), ...flags]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /cannot be used with/);
  }
  const { code, stderr } = await site.run([
    'dev',
    '--join',
    '127.0.0.1:1',
    '--data-dir',
    site.path('never'),
    '--seed',
    'x',
  ]);
  assert.equal(code, 2);
  assert.match(stderr, /--seed are for the other node/);
});
