import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { pastChain } from '../builders/past_chain.ts';
import { textMember, type Json } from './json.ts';
import { run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

const SLOT_SECONDS = 1;
const STALE = ['--witness', 'initminer', '--enable-stale-production', '--required-participation', '0'];

async function above(program: Program, number: number): Promise<void> {
  await waitUntil(`a block above ${number}`, async () => ((await program.health()).number > number ? true : undefined));
}

test('a signer process signs for a node that never has the key, and each of them may go and come back', async () => {
  const past = await pastChain(site.path('signed'), 20, undefined, SLOT_SECONDS);
  const [key, socket, password] = [site.path('signing.key'), site.path('signer.sock'), site.path('password')];
  writeFileSync(key, past.wif, { mode: 0o600 });
  writeFileSync(password, 'correct horse\n', { mode: 0o600 });
  const flags = [
    '--socket',
    socket,
    '--block-interval',
    String(SLOT_SECONDS),
    '--private-key-file',
    key,
    '--signing-journal',
    `${past.dataFolder}.signed`,
  ];
  const begin = async (): Promise<Program> => {
    const signer = site.start(['signer', ...flags]);
    await waitUntil('the signer', () => (signer.stderr.includes('listening on') ? true : undefined));
    return signer;
  };
  const signer = await begin();
  const node = await run(site, past, 'signed/chain', ...STALE, '--signer-socket', socket);
  await above(node, 20);
  signer.kill();
  await signer.exited;
  await waitUntil('the loss', () => (node.stderr.includes('is gone: nothing is signed') ? true : undefined));
  const { number } = await node.health();
  const back = await begin();
  await above(node, number);
  assert.equal(await node.stop(), 0);
  const again = await run(site, past, 'signed/chain', ...STALE, '--signer-socket', socket);
  await above(again, number + 1);
  assert.equal(await again.stop(), 0);
  assert.equal(await back.stop(), 0);

  const both = ['run', '--genesis-json', past.genesisFile, ...STALE, '--signer-socket', socket];
  const refused = await site.run([...both, '--private-key-file', key]);
  assert.deepEqual([refused.code, /the signer holds the keys/.test(refused.stderr)], [2, true], refused.stderr);
  const alone = await site.run([...both, '--data-dir', site.path('alone'), '--webserver-http-endpoint', '127.0.0.1:0']);
  assert.deepEqual([alone.code, /no signer at/.test(alone.stderr)], [2, true], alone.stderr);
});

test('a witness signs with the key of a file, and a key that others may read is refused', async () => {
  const past = await pastChain(site.path('filed'), 20, undefined, SLOT_SECONDS);
  const key = site.path('filed.key');
  writeFileSync(key, past.wif, { mode: 0o600 });
  const node = await run(site, past, 'filed/chain', ...STALE, '--private-key-file', key);
  await above(node, 20);
  assert.equal(await node.stop(), 0);
  const open = site.path('open.key');
  writeFileSync(open, past.wif, { mode: 0o644 });
  const refused = await site.run(['run', '--genesis-json', past.genesisFile, ...STALE, '--private-key-file', open]);
  assert.deepEqual([refused.code, /chmod 600/.test(refused.stderr)], [2, true], refused.stderr);
});

test('a new key goes into a file of its own, encrypted if one likes, and only its public half is shown', async () => {
  const [file, sealed, password] = [site.path('new.key'), site.path('sealed.key'), site.path('new.password')];
  writeFileSync(password, 'correct horse\n', { mode: 0o600 });
  for (const flags of [
    ['--key-file', file],
    ['--key-file', sealed, '--password-file', password],
  ]) {
    const { stdout, code } = await site.run(['keys', ...flags]);
    const shown: Json = JSON.parse(stdout);
    assert.deepEqual([code, Object.keys(Object(shown))], [0, ['pub_key']]);
    assert.match(textMember(shown, 'pub_key'), /^PHR/);
  }
  assert.equal((await site.run(['keys', '--key-file', file])).code, 2);
});

test('a socket path that the system would cut off is refused on both sides, and no journal is made', async () => {
  const [key, socket] = [site.path('long.key'), site.path(`${'x'.repeat(110)}.sock`)];
  writeFileSync(key, '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK\n', { mode: 0o600 });
  for (const [flags, place] of [
    [['signer', '--socket', socket, '--private-key-file', key], '--socket'],
    [['run', '--genesis-json', 'x', '--witness', 'initminer', '--signer-socket', socket], 'signer-socket'],
  ] as const) {
    const { code, stderr } = await site.run([...flags]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, new RegExp(`^pharos: ${place}: .*, and the path of a Unix socket at most \\d+$`, 'm'));
  }
  assert.ok(!existsSync(`${socket}.signed`));
});
