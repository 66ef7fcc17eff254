import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { after, test } from 'node:test';
import { textMember } from './json.ts';
import type { Program } from './program.ts';
import { fetchBalance, transfer } from './signer.ts';
import { Site, type Finished } from './site.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';

// `pharos dev --state FILE`: the chain lies in the file while nobody runs it.

const site = new Site();
const file = site.path('state.avro');
const running = `${file}.running`;

after(() => site.clear());

async function started(...flags: readonly string[]): Promise<Program> {
  const program = site.start(['dev', '--state', file, '--port', '0', '--no-mining', ...flags]);
  await program.ready();
  return program;
}

async function refused(...flags: readonly string[]): Promise<Finished> {
  return await site.run(['dev', '--state', file, '--port', '0', ...flags]);
}

async function pay(program: Program, blocks: number): Promise<void> {
  await program.result('debug_api.send_unsigned', { op_vec: [transfer('carol', 'bob', '1.000000')] });
  await program.result('debug_api.produce_blocks', { count: blocks });
}

test('a chain is in its file when it has stopped, whole, and goes on from there, on another machine too', async () => {
  const first = await started();
  const before = await fetchBalance(first, 'bob');
  await pay(first, 3);
  const [head, { block_id }] = [
    await first.health(),
    { block_id: textMember(await first.result('debug_api.snapshot'), 'id') },
  ];
  assert.equal(await first.stop(), 0);
  assert.match(first.stdout, /The chain is in .*state\.avro\.\n$/);
  assert.deepEqual(readdirSync(site.folder), ['state.avro'], 'nothing beside it');
  assert.match((await site.run(['snapshot', 'verify', file])).stdout, /intact/);

  const second = await started();
  assert.deepEqual(await second.health(), head);
  assert.equal(textMember(await second.result('debug_api.snapshot'), 'id'), block_id);
  assert.equal(await fetchBalance(second, 'bob'), before + 1_000_000n);
  // With its blocks and histories.
  assert.ok(JSON.stringify(await second.result('block_api.get_block', { block_num: 1 })).includes('"transfer"'));
  // What is behind the start can be taken back.
  await pay(second, 2);
  await second.result('debug_api.fork', { blocks: 2 });
  await second.result('debug_api.revert', { id: block_id });
  assert.equal((await second.refusal('debug_api.fork', { blocks: 1 })).name, 'fork_of_final');
  assert.equal(await second.stop(), 0);

  // The same state is the same file.
  const bytes = readFileSync(file);
  assert.equal(await (await started()).stop(), 0);
  assert.deepEqual(readFileSync(file), bytes);
});

test(
  'a chain that is killed loses nothing: the next start goes on with it, unless the file is another one by then',
  inLongForm,
  async () => {
    const first = await started();
    await pay(first, 4);
    const head = await first.health();
    const busy = await refused();
    assert.deepEqual([busy.code, /in use by another process/.test(busy.stderr)], [2, true], busy.stderr);
    first.kill();
    await first.exited;
    const bytes = readFileSync(file);
    appendFileSync(file, 'another');
    const unclear = await refused();
    assert.deepEqual(
      [unclear.code, /not the file that it began with, says .*: remove the one/.test(unclear.stderr)],
      [2, true],
      unclear.stderr,
    );
    appendOver(bytes);
    const second = await started();
    assert.match(second.stdout, /state\.avro\.running has the chain of a run that was killed: it goes on/);
    assert.deepEqual(await second.health(), head);
    assert.equal(await second.stop(), 0);
    assert.ok(!existsSync(running));
  },
);

function appendOver(bytes: Uint8Array): void {
  rmSync(file);
  appendFileSync(file, bytes);
}

test(
  'what can not be loaded or written is said before anything is done, and leaves nothing behind',
  inShortForm,
  async () => {
    const good = readFileSync(file);
    const taken = await started();
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['--state', site.path('new.avro'), '--port', String(taken.port)], 4, /port/],
      [['--state', site.path('none', 'x.avro')], 2, /nothing can be written into .*none/],
      [['--state', site.folder], 2, /is no file/],
      [['--state', site.path('damaged.avro')], 3, /damaged\.avro is no snapshot, or it is damaged/],
      [
        ['--state', site.path('copy.avro'), '--seed', 'x'],
        2,
        /no development chain with this --seed.*--fork .*copy\.avro/,
      ],
      [['--state', site.path('copy.avro'), '--data-dir', site.path('x')], 2, /cannot be used with/],
      [['--state', site.path('copy.avro'), '--join', '127.0.0.1:1'], 2, /cannot be used with/],
    ];
    appendFileSync(site.path('damaged.avro'), good.subarray(0, good.length / 2));
    appendFileSync(site.path('copy.avro'), good);
    const there = readdirSync(site.folder);
    for (const [flags, code, text] of cases) {
      const { code: found, stderr } = await site.run(['dev', '--port', '0', ...flags]);
      assert.deepEqual([found, text.test(stderr)], [code, true], `${flags.join(' ')}: ${stderr}`);
      assert.deepEqual(readdirSync(site.folder), there, flags.join(' '));
    }
    assert.equal(await taken.stop(), 0);
  },
);

test('--fresh starts over in the same file', inLongForm, async () => {
  const first = await started('--fresh', '--accounts', '3', '--seed', 'x');
  assert.equal((await first.health()).number, 0);
  assert.equal(await first.stop(), 0);
  const second = await started('--seed', 'x');
  assert.match(second.stdout, /^ {2}and 1 more: --list-accounts shows all$/m);
  assert.doesNotMatch(second.stdout, /^ {2}dave /m);
  assert.equal(await second.stop(), 0);
});
