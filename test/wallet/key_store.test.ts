import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { Fault } from '../../src/base/fault.ts';
import { Refusal } from '../../src/base/refusal.ts';
import { systemClock, type Clock } from '../../src/base/clock.ts';
import { HandClock } from '../builders/hand_clock.ts';
import { encodeWif } from '../../src/crypto/wif.ts';
import { isCredential } from '../../src/system/owners_only.ts';
import { parseKeyFile } from '../../src/wallet/key_file/read_key_file.ts';
import { newLock } from '../../src/wallet/key_file/sealed_file.ts';
import { newLineageLock } from '../../src/wallet/key_file/lineage_file.ts';
import { KeyStore } from '../../src/wallet/key_store.ts';
import { inLongForm } from '../builders/forms.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-keys-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const COST = { n: 1024, r: 8, p: 1 };
const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const open = (path: string, clock: Clock = systemClock, lockAfterMs = 0): KeyStore =>
  new KeyStore({ path, clock, lockAfterMs, cost: COST });
const catchCode = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal || error instanceof Fault) return error.code;
    throw error;
  }
  return 'nothing thrown';
};
const codeOfAsync = async (run: Promise<unknown>): Promise<string> => {
  try {
    await run;
  } catch (error) {
    if (error instanceof Refusal || error instanceof Fault) return error.code;
    throw error;
  }
  return 'nothing thrown';
};

let files = 0;
const newPath = (): string => join(folder, `wallet${files++}.json`);

test('a wallet is new, then locked, then unlocked, and its keys survive', async () => {
  const path = newPath();
  const store = open(path);
  assert.equal(store.state, 'new');
  assert.equal(
    catchCode(() => store.importSecrets([sha256('a')])),
    'wallet_new',
  );
  await store.setPassword('right');
  assert.equal(store.state, 'locked');
  assert.equal(await codeOfAsync(store.setPassword('other')), 'password_locked');
  await store.unlock('right');
  const [key = ''] = store.importSecrets([sha256('a')]);
  assert.match(key, /^0[23][0-9a-f]{64}$/);

  const again = open(path);
  assert.equal(again.state, 'locked');
  assert.equal(again.has(key), false);
  await again.unlock('right');
  assert.equal(hex(again.secretOf(key, key)), hex(sha256('a')));
  again.lock();
  assert.equal(
    catchCode(() => again.lock()),
    'wallet_locked',
  );
  assert.equal(again.keys().length, 0);
});

test('the file is readable by its owner only and holds no key in the open', async () => {
  const path = newPath();
  const store = open(path);
  await store.setPassword('right');
  await store.unlock('right');
  store.importSecrets([sha256('a')]);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  const text = readFileSync(path, 'utf8');
  assert.ok(!text.includes(hex(sha256('a'))));
  assert.match(text, /"name": "scrypt",\n\s+"n": 1024/);
});

test('a wrong password changes nothing', async () => {
  const path = newPath();
  const store = open(path);
  await store.setPassword('right');
  const before = readFileSync(path, 'utf8');
  for (const password of ['', 'wrong', 'right ', 'Right']) {
    assert.equal(await codeOfAsync(store.unlock(password)), password === '' ? 'empty_password' : 'wrong_password');
    assert.equal(store.state, 'locked');
  }
  assert.equal(readFileSync(path, 'utf8'), before);
  assert.equal(await codeOfAsync(open(newPath()).setPassword('')), 'empty_password');
});

test('a file of a newer version is refused and kept', async () => {
  const path = newPath();
  await open(path).setPassword('right');
  const newer = readFileSync(path, 'utf8').replace('"version": 1', '"version": 2');
  writeFileSync(path, newer);
  assert.equal(
    catchCode(() => open(path)),
    'configuration',
  );
  assert.equal(readFileSync(path, 'utf8'), newer);
});

test('a file that another program changed is not written over', async () => {
  const path = newPath();
  await open(path).setPassword('right');
  const [first, second] = [open(path), open(path)];
  await first.unlock('right');
  await second.unlock('right');
  first.importSecrets([sha256('a')]);
  assert.equal(
    catchCode(() => second.importSecrets([sha256('b')])),
    'wallet_changed',
  );
  assert.equal(second.load(''), true);
  await second.unlock('right');
  second.importSecrets([sha256('b')]);
  assert.equal(second.keys().length, 2);
});

test('a copy of the wallet replaces a wallet, and no other file', async () => {
  const [store, other] = [open(newPath()), newPath()];
  await store.setPassword('right');
  for (const text of ['{ "initial_public_key": "x" }', '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK\n']) {
    writeFileSync(other, text);
    assert.equal(
      catchCode(() => store.save(other)),
      'file_is_no_wallet',
    );
    assert.equal(readFileSync(other, 'utf8'), text);
  }
  writeFileSync(other, '');
  store.save(other);
  store.save(other);
  assert.equal(open(other).state, 'locked');
});

test('a wallet locks itself when it is not used', async () => {
  const clock = new HandClock(0);
  const store = open(newPath(), clock, 1000);
  await store.setPassword('right');
  await store.unlock('right');
  clock.pass(900);
  store.requireUnlocked();
  clock.pass(900);
  assert.equal(store.state, 'unlocked');
  clock.pass(100);
  assert.equal(store.state, 'locked');
});

test('any keys under any password come back from either format', async () => {
  const secrets = fc
    .uniqueArray(fc.integer({ min: 1, max: 10_000 }), { maxLength: 20 })
    .map((numbers) => numbers.map((number) => sha256(String(number))));
  const password = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
  const chain = fc.option(
    fc.record(
      {
        id: fc.constant('ab'.repeat(32)),
        symbols: fc.record(
          { coinSymbol: fc.string(), vestsSymbol: fc.string(), keyPrefix: fc.string(), coinName: fc.string() },
          { noNullPrototype: true },
        ),
      },
      { noNullPrototype: true },
    ),
    { nil: undefined },
  );
  await fc.assert(
    fc.asyncProperty(secrets, password, chain, fc.webUrl(), async (keys, word, bound, server) => {
      for (const lock of [await newLock(word, { n: 2, r: 1, p: 1 }), newLineageLock(word)]) {
        const file = parseKeyFile(lock.close({ chain: bound, server }, keys));
        assert.deepEqual((await file.open(word)).secrets.map(hex), keys.map(hex));
        assert.equal(file.server, server);
        assert.deepEqual(file.chain, file.format === 'pharos' ? bound : undefined);
        assert.equal(await codeOfAsync(file.open(`${word}x`)), 'wrong_password');
      }
    }),
    { numRuns: 60 },
  );
});

test('no change of one byte passes unnoticed', async () => {
  const text = (await newLock('right', { n: 2, r: 1, p: 1 })).close({ chain: undefined, server: 'ws://localhost' }, [
    sha256('a'),
  ]);
  const intact = (await parseKeyFile(text).open('right')).secrets.map(hex);
  await fc.assert(
    fc.asyncProperty(fc.nat(text.length - 1), fc.integer({ min: 1, max: 126 }), async (at, code) => {
      const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
      let file;
      try {
        file = parseKeyFile(changed);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
        return;
      }
      // White space and the case of hex digits mean nothing; all else must fail.
      assert.deepEqual((await file.open('right')).secrets.map(hex), intact);
      assert.equal(file.server, 'ws://localhost');
    }),
    { numRuns: 1500 },
  );
});

test('whatever stands in a file, reading it ends in a wallet, a refusal or a fault', async () => {
  const seeds = [
    (await newLock('right', { n: 2, r: 1, p: 1 })).close({ chain: undefined, server: '' }, [sha256('a')]),
    newLineageLock('right').close({ chain: undefined, server: '' }, [sha256('a')]),
  ];
  const noise = fc.oneof(fc.string({ unit: 'binary' }), fc.json(), fc.constantFrom(...seeds));
  const cut = fc
    .tuple(noise, fc.nat(2000), fc.nat(2000), fc.string({ maxLength: 8 }))
    .map(([text, a, b, middle]) => text.slice(0, Math.min(a, b)) + middle + text.slice(Math.max(a, b)));
  await fc.assert(
    fc.asyncProperty(fc.oneof(noise, cut), async (text) => {
      try {
        await parseKeyFile(text).open('right');
      } catch (error) {
        assert.ok(error instanceof Fault || error instanceof Refusal, String(error));
      }
    }),
    { numRuns: 1500 },
  );
});

test('a file that asks for all memory of the machine is refused unread', async () => {
  const text = (await newLock('right', { n: 2, r: 1, p: 1 })).close({ chain: undefined, server: '' }, []);
  for (const [member, value] of [
    ['n', 2 ** 30],
    ['r', 2 ** 24],
    ['p', 1000],
    ['n', 3],
    ['n', 0],
  ] as const) {
    const file = JSON.parse(text) as Record<string, unknown> & { kdf: Record<string, unknown> };
    file.kdf[member] = value;
    delete file['checksum'];
    const checksum = sha256(JSON.stringify(file)).toString('hex');
    assert.equal(
      catchCode(() => parseKeyFile(JSON.stringify({ ...file, checksum }))),
      'damaged_data',
      `${member} ${value}`,
    );
  }
});

test('a wallet of the lineage opens, stays what it is, and is converted on request', async () => {
  const path = newPath();
  writeFileSync(
    path,
    newLineageLock('pw').close({ chain: undefined, server: 'ws://localhost:9191' }, [sha256('alice')]),
  );
  const store = open(path);
  assert.equal(store.isLineageFile, true);
  assert.equal(await codeOfAsync(store.unlock('wrong')), 'wrong_password');
  await store.unlock('pw');
  assert.equal(store.keys().length, 1);
  store.importSecrets([sha256('bob')]);
  const members = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  assert.deepEqual(Object.keys(members), ['cipher_keys', 'ws_server', 'ws_user', 'ws_password']);
  assert.equal(members['ws_server'], 'ws://localhost:9191');

  assert.equal(await codeOfAsync(store.convert('wrong')), 'wrong_password');
  const before = readFileSync(path, 'utf8');
  writeFileSync(`${path}.lineage`, 'of an earlier conversion');
  assert.equal(await store.convert('pw'), `${path}.lineage-2`);
  assert.deepEqual(
    [readFileSync(`${path}.lineage-2`, 'utf8'), statSync(`${path}.lineage-2`).mode & 0o777],
    [before, 0o600],
  );
  const kept = open(`${path}.lineage-2`);
  await kept.unlock('pw');
  assert.equal(kept.keys().length, 2);
  assert.equal(store.isLineageFile, false);
  assert.equal(await codeOfAsync(store.convert('pw')), 'not_a_lineage_file');
  const again = open(path);
  await again.unlock('pw');
  assert.deepEqual(
    again
      .keys()
      .map(([, secret]) => hex(secret))
      .toSorted(),
    [hex(sha256('alice')), hex(sha256('bob'))].toSorted(),
  );
});

test('the cipher text of the lineage is what its description says', async () => {
  // Built step by step from wallet.md#wallet-file-of-the-ancestor with OpenSSL's own calls.
  const { createCipheriv } = await import('node:crypto');
  const key = createHash('sha512').update('pw').digest();
  const wif = '5J9bWm2ThenDm3tjvmUgHtWCVMUdjRR1pxnRtnJjvKA4b2ut5WK';
  const cipher = createCipheriv('aes-256-cbc', key.subarray(0, 32), key.subarray(32, 48));
  const plain = Buffer.concat([
    key,
    Buffer.from([1]),
    Buffer.alloc(33, 2),
    Buffer.from([wif.length]),
    Buffer.from(wif),
  ]);
  const cipher_keys = Buffer.concat([cipher.update(plain), cipher.final()]).toString('hex');
  const { secrets } = await parseKeyFile(
    JSON.stringify({ cipher_keys, ws_server: '', ws_user: '', ws_password: '' }),
  ).open('pw');
  assert.deepEqual(secrets.map(hex), [hex(sha256('alice'))]);
});

test('a process that is killed at any moment of writing leaves a file that opens', inLongForm, async () => {
  const writer = fileURLToPath(new URL('processes/killed_writer.js', import.meta.url));
  const run = (path: string, killAt: number, name: string): { signal: NodeJS.Signals | null; stdout: string } =>
    spawnSync(process.execPath, [writer, path, String(killAt), hex(sha256(name))], { encoding: 'utf8' });
  const path = newPath();
  const before = open(path);
  await before.setPassword('right');
  await before.unlock('right');
  before.importSecrets([sha256('first')]);
  const calls = Number(run(path, 0, 'never killed').stdout);
  assert.ok(calls > 8, `${calls} calls to the file system`);
  for (let killAt = 1; killAt <= calls; killAt++) {
    assert.equal(run(path, killAt, `killed at ${killAt}`).signal, 'SIGKILL');
    const reopened = open(path);
    await reopened.unlock('right');
    const known = new Set(reopened.keys().map(([, secret]) => hex(secret)));
    assert.ok(known.has(hex(sha256('first'))) && known.has(hex(sha256('never killed'))), `after call ${killAt}`);
  }
  open(path);
  const store = open(path);
  await store.unlock('right');
  store.importSecrets([sha256('last')]);
  assert.ok(existsSync(path));
  assert.deepEqual(
    readdirSync(folder).filter((name) => name.endsWith('.tmp')),
    [],
    'nothing is left behind',
  );
});

test('a file with a private key as text opens without a password, signs, and is never written', async () => {
  const secret = sha256('a key of its own');
  const path = newPath();
  const text = `\n ${encodeWif(secret)}\r\n`;
  writeFileSync(path, text, { mode: 0o600 });
  const clock = new HandClock(0);
  const store = open(path, clock, 1000);
  assert.deepEqual([store.state, store.isPlainKey, store.keys().length], ['unlocked', true, 1]);
  store.requireUnlocked();
  clock.pass(5000);
  assert.equal(store.state, 'unlocked', 'a lock would keep nobody from the file');
  store.bind({
    id: '0'.repeat(64),
    symbols: { coinSymbol: 'COIN', vestsSymbol: 'VESTS', keyPrefix: 'PHR', coinName: 'coin' },
  });
  const refused = 'plain_key_file';
  assert.equal(
    catchCode(() => store.importSecrets([sha256('other')])),
    refused,
  );
  assert.equal(
    catchCode(() => store.save('')),
    refused,
  );
  assert.equal(
    catchCode(() => store.save(`${path}.copy`)),
    refused,
  );
  assert.equal(await codeOfAsync(store.setPassword('new')), refused);
  assert.equal(await codeOfAsync(store.convert('any')), refused);
  const [[key, kept] = assert.fail('the key of the file')] = store.keys();
  assert.deepEqual([hex(kept), store.has(key)], [hex(secret), true]);
  store.lock();
  assert.equal(store.state, 'locked');
  await store.unlock('');
  assert.equal(store.keys().length, 1);
  assert.deepEqual([readFileSync(path, 'utf8'), existsSync(`${path}.copy`)], [text, false]);
});

test('a plain key that systemd hands over as a credential opens with its mode 0440, and one beside it does not', () => {
  const credentials = mkdtempSync(join(folder, 'credentials-'));
  const [credential, other] = [join(credentials, 'key'), newPath()];
  for (const path of [credential, other])
    writeFileSync(path, encodeWif(sha256('a key of a service')), { mode: 0o440, flag: 'w' });
  const check = (path: string): boolean => isCredential(path, { CREDENTIALS_DIRECTORY: credentials });
  const openChecked = (path: string): KeyStore =>
    new KeyStore({ path, clock: systemClock, lockAfterMs: 0, cost: COST, isCredential: check });
  assert.equal(openChecked(credential).keys().length, 1);
  assert.equal(
    catchCode(() => openChecked(other)),
    'configuration',
  );
  assert.equal(
    catchCode(() => open(credential)),
    'configuration',
  );
});

test('a mistyped private key, and one that others may read, are named as what they are', () => {
  const path = newPath();
  const wif = encodeWif(sha256('a key of its own'));
  const openMessage = (text: string, mode: number): string => {
    rmSync(path, { force: true });
    writeFileSync(path, text, { mode });
    try {
      open(path);
    } catch (error) {
      return error instanceof Fault ? `${error.code}: ${error.message}` : String(error);
    }
    return 'opened';
  };
  assert.equal(openMessage(wif, 0o600), 'opened');
  assert.equal(
    openMessage(wif, 0o644),
    `configuration: ${path}: others than its owner may read or write it; chmod 600 ${path}`,
  );
  const mistyped = wif.slice(0, -1) + (wif.endsWith('x') ? 'y' : 'x');
  assert.match(
    openMessage(mistyped, 0o600),
    /^configuration: .*: it holds one private key as text, and the key has a wrong checksum/,
  );
  assert.match(openMessage(mistyped.replace(/.$/, '0'), 0o600), /the key has a character that keys do not have/);
  for (const text of [mistyped, `${wif} ${wif}`, 'hello'])
    assert.ok(!openMessage(text, 0o600).includes(text), 'no message has the text of a key');
  assert.match(openMessage('hello', 0o600), /^damaged_data: /);
});
