import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { within } from '../outside/wait_until.ts';
import { temporaryFolder } from './commands.ts';
import { IndexedChain } from './indexed_chain.ts';
import { CertificateAuthority } from './nats_accounts.ts';
import { PostgresServer } from './postgres.ts';

// Databases are reached in several ways, and some can't be filled. Each refusal is one sentence that says what to do,
// and shows no password.

let server: PostgresServer;
let chain: IndexedChain;
let authority: CertificateAuthority;
const PASSWORD = "s3cret@/:?#%&'\\ é";
const LOGIN = `indexer:${encodeURIComponent(PASSWORD)}`;

before(async () => {
  server = await PostgresServer.start();
  authority = await CertificateAuthority.create(join(temporaryFolder(), 'authority'));
  const { certificate, key } = await authority.makeCertificate('server', 'IP:127.0.0.1');
  await server.query('postgres', `CREATE ROLE indexer LOGIN PASSWORD '${PASSWORD.replaceAll("'", "''")}'`);
  const access =
    'hostssl all indexer 127.0.0.1/32 scram-sha-256\nlocal all indexer scram-sha-256\nlocal all all trust\nhost all postgres 127.0.0.1/32 trust';
  await server.configure(
    access,
    { ssl: 'on', ssl_cert_file: 'own.crt', ssl_key_file: 'own.key' },
    { 'own.crt': certificate, 'own.key': key },
  );
  chain = await IndexedChain.start();
  await chain.call('debug_api.produce_blocks', { count: 2 });
});

after(async () => {
  await chain.kill();
  await server.stop();
});

/** A database of the role's own. */
async function ownDatabase(name: string): Promise<void> {
  await server.query('postgres', `CREATE DATABASE ${name} OWNER indexer`);
}

async function fills(
  t: TestContext,
  name: string,
  address: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  await ownDatabase(name);
  const indexer = chain.index(address, [], environment);
  t.after(() => indexer.kill());
  await chain.indexed(server, name, indexer);
  indexer.interrupt();
  const { code, stderr } = await indexer.finished;
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /warning/i);
}

async function refused(
  address: string,
  message: RegExp,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const { code, stderr } = await within('its end', chain.index(address, [], environment).finished);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, /s3cret|\n./);
  assert.equal(code, 2, stderr);
}

test('a password of any characters opens the database over TLS and by the socket, from the address, the environment and a file', async (t) => {
  await fills(t, 'by_tls', `${server.address('by_tls', LOGIN)}?sslmode=require`);
  await fills(
    t,
    'by_authority',
    `${server.address('by_authority', LOGIN)}?sslmode=verify-full&sslrootcert=${authority.certificate}`,
  );
  await fills(t, 'by_socket', server.socketAddress('by_socket', LOGIN));
  const tls = { PGSSLMODE: 'verify-ca', PGSSLROOTCERT: authority.certificate };
  await fills(t, 'by_environment', server.address('by_environment', 'indexer'), { ...tls, PGPASSWORD: PASSWORD });
  const file = join(temporaryFolder(), 'pgpass');
  writeFileSync(file, `*:*:*:indexer:${PASSWORD.replaceAll(/[\\:]/g, '\\$&')}\n`, { mode: 0o600 });
  await fills(t, 'by_file', server.address('by_file', 'indexer'), { PGSSLMODE: 'require', PGPASSFILE: file });
});

test('a wrong or missing password, a server that is not who it should be and one that takes TLS alone are refused', async () => {
  await ownDatabase('closed');
  await refused(
    `${server.address('closed', 'indexer:s3cret')}?sslmode=require`,
    /password authentication failed for user "indexer"/,
  );
  await refused(`${server.address('closed', 'indexer')}?sslmode=require`, /none is known: PGPASSWORD/);
  await refused(server.address('closed', 'indexer:s3cret'), /no encryption.*add \?sslmode=require/);
  await refused(`${server.address('closed', 'indexer:s3cret')}?sslmode=verify-full`, /certificate/);
  await refused(`${server.address('closed', 'indexer:s3cret')}?sslmode=verify-ca`, /sslrootcert/);
  await refused(`${server.address('closed', 'indexer')}?sslmode=require&sslrootcert=/none`, /\/none/);
});

test('a database with tables of others, and one of an encoding that lacks characters, are refused and stay as they are', async (t) => {
  await ownDatabase('shop');
  await server.query('shop', 'CREATE TABLE blocks (x integer); CREATE TABLE accounts (id integer)');
  await refused(server.socketAddress('shop', 'postgres'), /"blocks" already exists.*createdb/);
  await ownDatabase('versioned');
  await server.query('versioned', 'CREATE TABLE schema_versions (id integer)');
  await refused(server.socketAddress('versioned', 'postgres'), /"version" .*createdb/);
  assert.equal(
    await server.query('shop', "SELECT count(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    '2',
  );
  await server.query('postgres', "CREATE DATABASE ascii ENCODING 'SQL_ASCII' TEMPLATE template0");
  await refused(server.socketAddress('ascii', 'postgres'), /encoding SQL_ASCII.*createdb --encoding UTF8/);
  // Other tables are none of its concern.
  await ownDatabase('shared');
  await server.query('shared', 'CREATE TABLE orders (x integer)');
  const indexer = chain.index(server.socketAddress('shared', 'postgres'));
  t.after(() => indexer.kill());
  await chain.indexed(server, 'shared', indexer);
});

test('limits of time that a role is set to do not hold for who fills the tables', async (t) => {
  await ownDatabase('limited');
  for (const limit of ['statement_timeout', 'lock_timeout'])
    await server.query('limited', `ALTER ROLE indexer SET ${limit} = '1s'`);
  const indexer = chain.index(server.socketAddress('limited', LOGIN));
  t.after(() => indexer.kill());
  await chain.indexed(server, 'limited', indexer);
  const held = server.query('limited', 'BEGIN; LOCK TABLE blocks; SELECT pg_sleep(3); COMMIT');
  await chain.call('debug_api.produce_blocks', { count: 1 });
  await held;
  await chain.indexed(server, 'limited', indexer);
  indexer.interrupt();
  const { code, stderr } = await indexer.finished;
  assert.equal(code, 0, stderr);
  assert.doesNotMatch(stderr, /lost/);
});
