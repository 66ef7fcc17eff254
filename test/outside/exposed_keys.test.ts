import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { textMember, type Json } from './json.ts';
import { Site } from './site.ts';

// An operator gives a key to a node in several ways, and nobody else may see it.

const site = new Site();
let key: { readonly wif: string; readonly publicKey: string };

before(async () => {
  const pair: Json = JSON.parse((await site.run(['keys', '--seed', 'exposed'])).stdout);
  key = { wif: textMember(pair, 'wif_priv_key'), publicKey: textMember(pair, 'pub_key') };
});

after(() => site.clear());

/** A node with these flags, from its start to its end: what it has written. */
async function runAndReadLines(
  name: string,
  flags: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const net = [
    '--initminer-mining-pubkey',
    key.publicKey,
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    '--witness',
    'initminer',
  ];
  const program = site.start(['run', '--data-dir', site.path(name), ...net, ...flags], environment);
  await program.ready();
  assert.equal(await program.stop(), 0);
  return program.stderr;
}

function writeConfig(name: string, mode: number): string {
  const path = site.path(name);
  writeFileSync(path, `private-key = ${key.wif}\n`);
  chmodSync(path, mode);
  return path;
}

test('a key on the command line, or in a file that others may read, is a warning that says what to do', async () => {
  const byFlag = await runAndReadLines('flag', ['--private-key', key.wif]);
  assert.match(
    byFlag,
    /private-key on the command line is shown to everybody on this machine by ps: use private-key-file/,
  );
  const byFile = await runAndReadLines('open', ['--config', writeConfig('open.ini', 0o644)]);
  assert.match(byFile, /open\.ini has a private key, and others on this machine may read it: chmod 600/);
  const hidden = await runAndReadLines('hidden', ['--config', writeConfig('hidden.ini', 0o600)]);
  assert.doesNotMatch(hidden, /use private-key-file/);
  for (const lines of [byFlag, byFile, hidden]) assert.ok(!lines.includes(key.wif));
});

test('a node says when it has stopped cleanly, and that a wallet has its password in the environment is nothing to it', async () => {
  const lines = await runAndReadLines('password', ['--config', writeConfig('stops.ini', 0o600)], {
    PHAROS_WALLET_PASSWORD: 'secret',
  });
  assert.match(lines.trimEnd().split('\n').at(-1) ?? '', /"msg":"stopped: everything is on the disk"/);
  assert.ok(!lines.includes('secret'));
});

test('no error repeats a key, wherever it stands wrongly', async () => {
  const colon = site.path('colon.ini');
  writeFileSync(colon, `private-key: ${key.wif}\n`);
  for (const args of [
    ['run', '--config', colon],
    ['run', '--private-key', `${key.wif}x`],
    ['run', `--${key.wif}`],
    ['run', '--private-key-file', key.wif],
    ['run', '--log-level', key.wif],
    ['witness', 'status', '--url', key.wif],
    [key.wif],
  ]) {
    const { code, stderr, stdout } = await site.run(args);
    assert.notEqual(code, 0, args[0]);
    assert.ok(stderr.length > 0 && !(stderr + stdout).includes(key.wif), `${args.slice(0, 2).join(' ')}: ${stderr}`);
  }
});
