import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { nkeys } from '@nats-io/transport-node';
import { nodeCertificate } from '../../src/crypto/node_certificate.ts';
import { readConfig } from '../../src/settings/read_config.ts';
import { readNatsSettings } from '../../src/settings/sink_settings.ts';
import type { NatsSinkSettings } from '../../src/sinks/nats/nats_settings.ts';

function parseSettings(flags: Readonly<Record<string, unknown>>): NatsSinkSettings | undefined {
  return readNatsSettings(readConfig({ iniFile: undefined, environment: {}, flags }).values);
}

function parseConnection(...addresses: readonly string[]): NatsSinkSettings['connection'] | undefined {
  return parseSettings({ 'sink-nats': addresses })?.connection;
}

function refused(flags: Readonly<Record<string, unknown>>, message: RegExp): void {
  assert.throws(() => parseSettings(flags), { code: 'configuration', message });
}

test('an address of a NATS server is read as other clients of NATS read it', () => {
  const cases: readonly (readonly [string, Partial<NatsSinkSettings['connection']>])[] = [
    ['nats://127.0.0.1', { servers: ['127.0.0.1:4222'], tls: undefined }],
    ['host.example', { servers: ['host.example:4222'] }],
    ['host.example:14222/', { servers: ['host.example:14222'] }],
    ['nats://[::1]:4223', { servers: ['[::1]:4223'] }],
    ['tls://host.example', { servers: ['host.example:4222'], tls: {} }],
    ['nats://token@h', { servers: ['h:4222'], token: 'token', user: undefined }],
    ['nats://me:secret@h', { user: 'me', password: 'secret', token: undefined }],
    ['nats://me:s%40c%3Ar%2Fe%25t@h', { user: 'me', password: 's@c:r/e%t' }],
    ['nats://me:s@c:r@h:1', { servers: ['h:1'], user: 'me', password: 's@c:r' }],
    ['me:secret@h', { servers: ['h:4222'], user: 'me', password: 'secret' }],
  ];
  for (const [address, expected] of cases) {
    const found = parseConnection(address);
    for (const [name, value] of Object.entries(expected))
      assert.deepEqual(Object.entries(found ?? {}).find(([key]) => key === name)?.[1], value, `${address}: ${name}`);
  }
});

test('the servers of a cluster have one user, wherever it is said', () => {
  const found = parseConnection('nats://a', 'tls://me:pw@b:1');
  assert.deepEqual(found?.servers, ['a:4222', 'b:1']);
  assert.deepEqual([found.user, found.password, found.tls], ['me', 'pw', {}]);
  assert.equal(parseConnection('nats://me:pw@a', 'nats://me:pw@b')?.user, 'me');
  refused({ 'sink-nats': ['nats://me:pw@a', 'nats://me:other@b'] }, /one cluster take the same user/);
});

test('a wrong address is refused, and nothing of a password or a token is shown', () => {
  const secret = 's3cret';
  const addresses = [
    `http://me:${secret}@h`,
    `nats://me:${secret}@h/path`,
    `nats://me:${secret}@h?x=1`,
    `nats://me:${secret}@`,
    `nats://me:x@y:${secret}@h:port`,
    `nats://me:${secret}`,
    `nats://me:${secret}/x@h`,
    `nats://me:${secret}?x@h`,
    `nats://me:${secret}#x@h`,
    `nats://:${secret}@h`,
    `nats://${secret}:@h`,
    `nats://me:${secret}%@h`,
    `nats://me:${secret}%zz@h`,
    `nats://${secret}%@h`,
    `nats://h?token=${secret}`,
    `nats://h#${secret}`,
    'nats://',
    'nats://@h',
  ];
  for (const address of addresses) {
    assert.throws(
      () => parseConnection(address),
      (error: Error & { readonly code?: string }) => {
        assert.equal(error.code, 'configuration', `${address}: ${error.stack}`);
        assert.match(error.message, /^sink-nats: /);
        assert.doesNotMatch(error.message, new RegExp(secret));
        return true;
      },
      address,
    );
  }
  refused({ 'sink-nats': ['http://h:4222'] }, /got "http:\/\/h:4222"/);
});

test('files with secrets are for their owner alone and are what they are named for', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-sink-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string, mode = 0o600): string => {
    const path = `${folder}/${name}`;
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  const [user, account] = [nkeys.createUser(), nkeys.createAccount()].map((pair) =>
    Buffer.from(pair.getSeed()).toString(),
  );
  const credentials = `-----BEGIN NATS USER JWT-----\na.b.c\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${user}\n------END USER NKEY SEED------\n`;
  const own = nodeCertificate(Buffer.alloc(32, 1));
  const other = nodeCertificate(Buffer.alloc(32, 2));
  const nats = { 'sink-nats': ['nats://h'] };
  const files = {
    credentials: write('right.creds', credentials),
    seed: write('right.nk', `${user}\n`),
    certificate: write('own.crt', own.certificate, 0o644),
    key: write('own.key', own.privateKey),
  };
  assert.equal(
    parseSettings({ ...nats, 'sink-nats-credentials': files.credentials })?.connection.credentialsFile,
    files.credentials,
  );
  assert.equal(parseSettings({ ...nats, 'sink-nats-nkey': files.seed })?.connection.nkeyFile, files.seed);
  const tls = { 'sink-nats-tls-cert': files.certificate, 'sink-nats-tls-key': files.key };
  assert.deepEqual(parseSettings({ ...nats, ...tls })?.connection.tls, {
    certFile: files.certificate,
    keyFile: files.key,
  });
  const wrong: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
    [{ 'sink-nats-credentials': write('open.creds', credentials, 0o640) }, /chmod 600 .*open\.creds/],
    [{ 'sink-nats-nkey': write('open.nk', user ?? '', 0o604) }, /chmod 600 .*open\.nk/],
    [{ ...tls, 'sink-nats-tls-key': write('open.key', own.privateKey, 0o644) }, /chmod 600 .*open\.key/],
    [{ 'sink-nats-credentials': `${folder}/none` }, /there is no file .*none/],
    [{ 'sink-nats-credentials': files.seed }, /credentials expected as nsc writes them/],
    [
      { 'sink-nats-credentials': write('account.creds', credentials.replace(user ?? '', account ?? '')) },
      /credentials expected as nsc/,
    ],
    [{ 'sink-nats-nkey': write('account.nk', account ?? '') }, /the seed of a user's NKey expected/],
    [{ 'sink-nats-nkey': write('empty.nk', '') }, /the seed of a user's NKey expected/],
    [{ 'sink-nats-tls-ca': files.key }, /own\.key: a certificate expected/],
    [{ 'sink-nats-tls-ca': `${folder}/none` }, /cannot read .*none/],
    [{ 'sink-nats-tls-cert': files.certificate }, /both are needed/],
    [{ ...tls, 'sink-nats-tls-key': write('other.key', other.privateKey) }, /is not the key of the certificate/],
    [{ ...tls, 'sink-nats-tls-key': write('no.key', 'nothing') }, /a private key expected/],
    [
      { ...tls, 'sink-nats-tls-key': write('sealed.key', '-----BEGIN ENCRYPTED PRIVATE KEY-----\nx\n') },
      /the key is encrypted; write it without a passphrase/,
    ],
    [
      { 'sink-nats-credentials': files.credentials, 'sink-nats-nkey': files.seed },
      /sink-nats-credentials and sink-nats-nkey both/,
    ],
  ];
  for (const [flags, message] of wrong) refused({ ...nats, ...flags }, message);
  refused({ 'sink-nats': ['nats://me:pw@h'], 'sink-nats-nkey': files.seed }, /both say who writes/);
  refused({ 'sink-nats-nkey': files.seed }, /of no use without sink-nats/);
});
