import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test, type TestContext } from 'node:test';
import { nkeys } from '@nats-io/transport-node';
import { textMember } from '../outside/json.ts';
import type { Program } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { CertificateAuthority, newAccounts, seedText } from './nats_accounts.ts';
import { NatsServer } from './nats_server.ts';

// The servers have the accounts and rights that users of NATS give them.

const site = new Site();
let authority: CertificateAuthority;

before(async () => {
  authority = await CertificateAuthority.create(site.path('authority'));
});

after(() => site.clear());

/** A file for its owner alone. */
function secretFile(name: string, text: string): string {
  const path = site.path(name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function startServer(t: TestContext, name: string, settings: string): Promise<NatsServer> {
  const server = await NatsServer.start(site.path(name), settings);
  t.after(() => server.stop());
  return server;
}

async function startChain(t: TestContext, name: string, flags: readonly string[]): Promise<Program> {
  const own = ['dev', '--data-dir', site.path(name), '--port', '0', '--no-mining', '--silent'];
  const program = site.start([...own, ...flags]);
  t.after(() => program.kill());
  await program.ready();
  return program;
}

/** A way to say who one is, as flags of a node; the same flags of other commands lack the beginning. */
interface Login {
  readonly address: string;
  readonly flags?: readonly string[];
}

function commandFlags({ address, flags = [] }: Login): string[] {
  return ['--nats', address, ...flags.map((flag) => flag.replace(/^--sink-nats-/, '--'))];
}

/** A node writes there, and the stream has all of its chain. */
async function writes(t: TestContext, name: string, login: Login): Promise<Program> {
  const program = await startChain(t, name, ['--sink-nats', login.address, ...(login.flags ?? [])]);
  await program.result('debug_api.produce_blocks', { count: 2 });
  const id = textMember(await program.result('database_api.get_dynamic_global_properties'), 'head_block_id');
  await waitUntil(`the stream of ${name}`, async () => {
    const { code, stdout, stderr } = await site.run([
      'stream',
      'check',
      ...commandFlags(login),
      '--url',
      `http://127.0.0.1:${program.port}`,
    ]);
    if (code !== 0 || !stdout.includes(id))
      assert.doesNotMatch(`${stderr}${program.stderr}`, /can not be written/, `${stderr}${program.stderr}`);
    return code === 0 && stdout.includes(id) ? true : undefined;
  });
  return program;
}

/** The command is refused with a sentence that says what to do and shows no secret. */
async function refused(login: Login, message: RegExp, secret = /s3cret/): Promise<void> {
  const { code, stderr } = await site.run(['stream', 'check', ...commandFlags(login)]);
  assert.match(stderr, message);
  assert.doesNotMatch(stderr, secret);
  assert.doesNotMatch(stderr, /\n\s+at /);
  assert.notEqual(code, 0);
}

test('a node writes over TLS to a server that its own authority vouches for, as a user with a password or with an NKey', async (t) => {
  const { certificate, key } = await authority.makeCertificate('server', 'IP:127.0.0.1,DNS:localhost');
  const user = nkeys.createUser();
  const server = await startServer(
    t,
    'tls',
    `tls { cert_file: "${certificate}", key_file: "${key}" }
     authorization { users: [{ user: me, password: "a:@/%s3cret" }, { nkey: ${user.getPublicKey()} }] }`,
  );
  const ca = ['--sink-nats-tls-ca', authority.certificate];
  const host = `127.0.0.1:${server.port}`;
  const address = `tls://me:a:@%2F%25s3cret@${host}`;
  const first = await writes(t, 'tls', { address, flags: ca });
  first.kill();
  await first.exited;
  const seed = secretFile('right.nk', seedText(user));
  await writes(t, 'tls', { address: `tls://localhost:${server.port}`, flags: [...ca, '--sink-nats-nkey', seed] });
  await refused({ address }, /certificate of the NATS server is not trusted .*sink-nats-tls-ca/);
  await refused(
    { address: `tls://me:s3cret@${host}`, flags: ca },
    /refuses the connection .*correct user and password in sink-nats/,
  );
  await refused(
    { address: `tls://s3cret@${host}`, flags: ca },
    /refuses the connection .*correct the token in sink-nats/,
  );
  await refused({ address: `tls://${host}`, flags: ca }, /refuses the connection .*say who writes, by user:password@/);
  const stranger = secretFile('stranger.nk', seedText(nkeys.createUser()));
  await refused(
    { address: `tls://${host}`, flags: [...ca, '--sink-nats-nkey', stranger] },
    /doesn't know the public key to the seed/,
    /SU[A-Z2-7]{56}/,
  );
  const mistyped = secretFile('mistyped.nk', `SU${'A'.repeat(56)}`);
  await refused(
    { address: `tls://${host}`, flags: [...ca, '--sink-nats-nkey', mistyped] },
    /mistyped\.nk: its seed is not right/,
    /SU[A-Z2-7]{56}/,
  );
});

test('a server that has another name than its certificate, or no TLS at all, is told nothing', async (t) => {
  const { certificate, key } = await authority.makeCertificate('elsewhere', 'DNS:elsewhere.example');
  const elsewhere = await startServer(t, 'elsewhere', `tls { cert_file: "${certificate}", key_file: "${key}" }`);
  const ca = ['--sink-nats-tls-ca', authority.certificate];
  await refused(
    { address: `tls://127.0.0.1:${elsewhere.port}`, flags: ca },
    /is not trusted .*name it in sink-nats as its certificate does/,
  );
  const plain = await startServer(t, 'plain', '');
  await refused(
    { address: `tls://me:s3cret@127.0.0.1:${plain.port}` },
    /the NATS server has no TLS, and nothing is told to it without/,
  );
});

test('a server that knows its clients by their certificates takes the one that is named, and says so where none is', async (t) => {
  const { certificate, key } = await authority.makeCertificate('verifier', 'IP:127.0.0.1');
  const server = await startServer(
    t,
    'verifier',
    `tls { cert_file: "${certificate}", key_file: "${key}", ca_file: "${authority.certificate}", verify: true }`,
  );
  const client = await authority.makeCertificate('client', 'DNS:node.example');
  const ca = ['--sink-nats-tls-ca', authority.certificate];
  const own = [...ca, '--sink-nats-tls-cert', client.certificate, '--sink-nats-tls-key', client.key];
  const address = `tls://127.0.0.1:${server.port}`;
  await writes(t, 'by_certificate', { address, flags: own });
  await refused({ address, flags: ca }, /wants a certificate of this client .*sink-nats-tls-cert/);
});

test('a node writes with credentials of a decentralised user, which are read again when they are renewed', async (t) => {
  const accounts = newAccounts();
  const server = await startServer(t, 'accounts', accounts.settings);
  const address = `nats://127.0.0.1:${server.port}`;
  const path = secretFile('node.creds', newAccounts().credentials());
  const flags = ['--sink-nats-credentials', path];
  const program = await startChain(t, 'by_credentials', ['--sink-nats', address, ...flags]);
  await waitUntil('the refusal in the log', () => (program.stderr.includes('can not be written') ? true : undefined));
  assert.match(
    program.stderr,
    /put credentials of a user that it knows into \S*node\.creds; their JWT may have expired/,
  );
  await refused({ address, flags }, /put credentials of a user that it knows/, /SU[A-Z2-7]{56}/);
  await program.result('debug_api.produce_blocks', { count: 2 });
  secretFile('node.creds', accounts.credentials());
  await waitUntil('the stream', async () => {
    const { code, stdout } = await site.run([
      'stream',
      'check',
      ...commandFlags({ address, flags }),
      '--url',
      `http://127.0.0.1:${program.port}`,
    ]);
    return code === 0 && / block 2, /.test(stdout) ? true : undefined;
  });
  const expired = secretFile('expired.creds', accounts.credentials(1_600_000_000));
  await refused({ address, flags: ['--sink-nats-credentials', expired] }, /JWT may have expired/, /SU[A-Z2-7]{56}/);
});

test('a node writes with a token', async (t) => {
  const server = await startServer(t, 'token', 'authorization { token: "s3cret token" }');
  const host = `127.0.0.1:${server.port}`;
  const program = await writes(t, 'by_token', { address: `nats://s3cret%20token@${host}` });
  assert.doesNotMatch(`${program.stdout}${program.stderr}`, /s3cret/);
});

test('a user with the rights that the guide names writes; one who lacks some is told which', async (t) => {
  const inboxes = 'subscribe: ["_INBOX.>"]';
  const server = await startServer(
    t,
    'rights',
    `authorization { users: [
       { user: enough, password: pw, permissions: { publish: ["pharos.>", "$JS.API.>"], ${inboxes} } },
       { user: reader, password: pw, permissions: { publish: ["$JS.API.>"], ${inboxes} } },
       { user: nobody, password: pw, permissions: { publish: ["pharos.>"], ${inboxes} } }
     ] }`,
  );
  const host = `127.0.0.1:${server.port}`;
  for (const user of ['reader', 'nobody']) {
    const refusedOne = await startChain(t, 'by_rights', ['--sink-nats', `nats://${user}:pw@${host}`]);
    await refusedOne.result('debug_api.produce_blocks', { count: 1 });
    await waitUntil('the refusal in the log', () =>
      /does not let this user .*allow pharos\.> and \$JS\.API\.>/.test(refusedOne.stderr) ? true : undefined,
    );
    refusedOne.kill();
    await refusedOne.exited;
  }
  await writes(t, 'by_rights', { address: `nats://enough:pw@${host}` });
});
