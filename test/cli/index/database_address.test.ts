import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { completeAddress } from '../../../src/cli/index/database_address.ts';
import { matchPassword } from '../../../src/cli/index/password_file.ts';

function parts(text: string, environment: NodeJS.ProcessEnv = {}): Readonly<Record<string, string>> {
  const { hostname, port, searchParams } = new URL(completeAddress(text, environment).url);
  return { hostname, port, ...Object.fromEntries(searchParams) };
}

test('an address without a host or a user is that of this machine and of who asks, as psql has it', () => {
  const { host = '', user } = parts('postgres:///chain', { PGPORT: '1' });
  assert.match(host, /^(?:localhost|\/.*)$/);
  assert.equal(user, userInfo().username);
  assert.equal(parts('postgres:///chain', { PGHOST: 'db.example' })['host'], 'db.example');
  assert.equal(parts('postgres:///chain', { PGHOST: '/var/run' })['host'], '/var/run');
  assert.equal(parts('postgres:///chain', { PGUSER: 'indexer' })['user'], 'indexer');
  assert.equal(parts('postgres://alice@/chain?host=/var/run')['host'], '/var/run');
  assert.equal(parts('postgres://alice@/chain?host=/var/run')['user'], undefined);
  assert.deepEqual(parts('postgresql://alice:x%40y@db.example:1/chain'), { hostname: 'db.example', port: '1' });
});

test('TLS is as the address and the environment say, and as psql means it; a socket has none', () => {
  const asPsql = { uselibpqcompat: 'true' };
  const remote = { hostname: 'db.example', port: '' };
  assert.deepEqual(parts('postgres://a@db.example/c?sslmode=require'), { ...remote, sslmode: 'require', ...asPsql });
  assert.deepEqual(parts('postgres://a@db.example/c', { PGSSLMODE: 'verify-full', PGSSLROOTCERT: '/ca' }), {
    ...{ ...remote, sslmode: 'verify-full', sslrootcert: '/ca' },
    ...asPsql,
  });
  assert.equal(parts('postgres://a@db.example/c?sslmode=disable', { PGSSLMODE: 'require' })['sslmode'], 'disable');
  assert.equal(parts('postgres://a@/c?host=/var/run&sslmode=require')['sslmode'], undefined);
  assert.equal(parts('postgres://a@%2Fvar%2Frun/c', { PGSSLMODE: 'require' })['sslmode'], undefined);
});

test('an address that is none, or whose password is not encoded, is refused without a word of it', () => {
  const texts = [
    ...[
      'mysql://u:s3cret@host/db',
      'postgres://u:p@s3cret#/w@host/db',
      'postgres://u:12/s3cret@host/db',
      'postgres://u:1?s3cret@host/db',
    ],
    ...[
      'postgres://u:%ffs3cret@host/db',
      'postgres://u:s3cret/x@host/db',
      'postgres://u:s3cret@host:port/db',
      's3cret',
    ],
  ];
  for (const text of texts)
    assert.throws(
      () => completeAddress(text),
      { message: /^--postgres: an address such as postgres:(?!.*s3cret).*%40 for @/ },
      text,
    );
  for (const text of [
    'postgres:///c',
    'postgres://u@/c',
    'postgres://u:a@b@host/c',
    'postgresql://h',
    'postgres://[::1]:5432/c',
  ])
    completeAddress(text);
});

test('a password is that of the first line of the file that fits, as psql reads it', () => {
  const login = { host: 'db.example', port: '5432', database: 'chain', user: 'indexer' };
  const text =
    '# db.example:5432:chain:indexer:no\n\ndb.example:1:*:*:no\n*:*:chain:indexer:a\\:b\\\\c\r\n*:*:*:*:later\n';
  const readPassword = (lines: string, of: Partial<typeof login> = {}): string | undefined =>
    matchPassword(lines, { ...login, ...of }).password;
  assert.equal(readPassword(text), 'a:b\\c');
  assert.equal(readPassword(text, { user: 'other' }), 'later');
  assert.equal(readPassword('localhost:5432:chain:indexer:x', { host: '/var/run/postgresql' }), 'x');
  assert.equal(readPassword('/sockets:5432:chain:indexer:x', { host: '/sockets' }), 'x');
  assert.deepEqual(matchPassword('\ndb.example:5432:chain:indexer', login), { password: undefined, line: 2 });
  assert.deepEqual(matchPassword('', login), { password: undefined, line: undefined });
});
