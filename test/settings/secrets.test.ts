import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { options, type Option } from '../../src/settings/options.ts';
import { readConfig } from '../../src/settings/read_config.ts';
import { isCredential, requireOwnersOnly } from '../../src/system/owners_only.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-secrets-'));

after(() => rmSync(folder, { recursive: true }));

const SECRETS: Readonly<Record<string, string>> = { whole: 'words', login: 'nats://user:words@host:4222' };

test('every setting that has a secret is read from a file and from the environment, without a command line', () => {
  const secret = Object.entries<Option>(options).flatMap(([key, option]): [string, string][] =>
    option.secret === undefined ? [] : [[key, SECRETS[option.secret] ?? assert.fail()]],
  );
  assert.ok(secret.length > 2);
  for (const [key, value] of secret) {
    const iniFile = join(folder, 'node.ini');
    writeFileSync(iniFile, `${key} = ${value}\n`);
    const environment = { [`PHAROS_${key.toUpperCase().replaceAll('-', '_')}`]: value };
    for (const sources of [
      { iniFile, environment: {} },
      { iniFile: undefined, environment },
    ]) {
      const values: Readonly<Record<string, unknown>> = readConfig({ ...sources, flags: {} }).values;
      assert.deepEqual([values[key]].flat(), [value], key);
    }
  }
});

/** Secrets of development chains protect nothing. */
const NO_SECRETS = new Set(['--seed']);

test('every flag of a command that takes a secret has a sibling that takes it from a file', () => {
  const sources = fileURLToPath(new URL('../../../src/cli/', import.meta.url));
  const texts = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(sources, name), 'utf8'));
  const flags = texts.flatMap((text) => text.match(/(?<=')(?:-\w, )?--[a-z-]+(?= [<[])/g) ?? []);
  const secret = flags.filter(
    (flag) => /password|private-key|brain-key|seed|secret|token/.test(flag) && !NO_SECRETS.has(flag),
  );
  assert.ok(secret.length > 5, secret.join(' '));
  for (const flag of secret) assert.ok(flag.endsWith('-file') || flags.includes(`${flag}-file`), flag);
});

test('a credential of systemd is taken whatever its mode, and no other file that others may read', () => {
  const credentials = join(folder, 'credentials');
  mkdirSync(credentials);
  const [credential, other] = [join(credentials, 'signing.key'), join(folder, 'signing.key')];
  for (const path of [credential, other]) {
    writeFileSync(path, 'words\n');
    // As systemd's access list shows it.
    chmodSync(path, 0o440);
    assert.throws(() => requireOwnersOnly(path), /chmod 600/);
  }
  const environment = { CREDENTIALS_DIRECTORY: credentials };
  assert.deepEqual(
    [credential, other, join(credentials, '..', 'signing.key')].map((path) => isCredential(path, environment)),
    [true, false, false],
  );
  assert.equal(isCredential(credential, {}), false);
});
