import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { encodeWif } from '../../../src/crypto/wif.ts';
import { readSigningKeys, writeKeyFile } from '../../../src/witness/signing/signing_keys.ts';
import { testSecret } from '../../builders/chain.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-keys-'));
const secret = testSecret('alice');

after(() => rmSync(folder, { recursive: true, force: true }));

/** A file that only its owner may read, unless said. */
function writeFile(name: string, text: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test('a key file holds a WIF, is for its owner only and is never overwritten', async () => {
  const path = join(folder, 'plain');
  await writeKeyFile(path, secret, undefined);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.deepEqual(await readSigningKeys([path], undefined), [Uint8Array.from(secret)]);
  await assert.rejects(writeKeyFile(path, secret, undefined), { code: 'configuration', message: /never overwritten/ });
});

test('an encrypted key file opens with its password only', async () => {
  const path = join(folder, 'sealed');
  const password = writeFile('password', 'correct horse\nanother line\n');
  await writeKeyFile(path, secret, password);
  assert.equal(readFileSync(path, 'utf8').includes(encodeWif(secret)), false);
  const plain = writeFile('wif', ` ${encodeWif(testSecret('bob'))}\n`);
  const both = await readSigningKeys([path, plain], password);
  assert.deepEqual(
    both.map((each) => Buffer.from(each).toString('hex')),
    [secret, testSecret('bob')].map((each) => Buffer.from(each).toString('hex')),
  );
  const wrong = writeFile('wrong', 'battery staple\n');
  await assert.rejects(readSigningKeys([path], wrong), { code: 'configuration', message: /wrong password/ });
  await assert.rejects(readSigningKeys([path], undefined), {
    code: 'configuration',
    message: /private-key-password-file/,
  });
});

test('a file that others may read, that is missing or that holds no key is refused with what to do', async () => {
  const refused: readonly [string, RegExp][] = [
    [writeFile('open', encodeWif(secret), 0o644), /others than its owner may read.*chmod 600/],
    [writeFile('group', encodeWif(secret), 0o620), /chmod 600/],
    [join(folder, 'nowhere'), /there is no file/],
    [writeFile('nonsense', 'nonsense'), /a WIF key, or a file/],
    [writeFile('json', '{"format": "other"}'), /no wallet of this program/],
  ];
  const password = writeFile('any', 'any');
  for (const [path, message] of refused)
    await assert.rejects(readSigningKeys([path], password), { code: 'configuration', message }, path);
  chmodSync(password, 0o640);
  await assert.rejects(writeKeyFile(join(folder, 'new'), secret, password), {
    code: 'configuration',
    message: /chmod 600/,
  });
});
