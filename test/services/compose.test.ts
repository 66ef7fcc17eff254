import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { encodeWif } from '../../src/crypto/wif.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, temporaryFolder, type Running } from './commands.ts';
import { FreshRoot } from './fresh_root.ts';

// compose.yaml without an engine: its commands and health checks, as they stand, by the real programs of this machine. All
// services share one root, in which each name leads to loopback. Grafana is not to be had; test/scripts/compose.test.ts
// compares its files.

interface Service {
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck: { readonly test: readonly string[] };
}

const folder = join(project, 'scripts/operate/compose');
const { services }: { services: Readonly<Record<string, Service>> } = parse(
  readFileSync(join(folder, 'compose.yaml'), 'utf8'),
  { merge: true },
);
const SEED = '127.0.0.1:9299';
const variables: Readonly<Record<string, string>> = { POSTGRES_PASSWORD: 'dbsecret', SEED };
const DATABASE_FOLDER = '/var/lib/postgresql/data';
let root: FreshRoot;
const running = new Map<string, Running>();

before(async () => {
  root = await FreshRoot.ofThisMachine();
  await root.lay(project, '/opt/pharos');
  const hosts = `127.0.0.1 localhost ${Object.keys(services).join(' ')}\n`;
  await write('/etc/hosts', hosts);
  await root.succeed(['ln', '-s', '/opt/pharos/scripts/pharos.js', '/usr/local/bin/pharos']);
  await give(join(project, 'scripts/operate/container.ini'), '/etc/pharos/pharos.ini');
  const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
  await write('/etc/pharos/genesis.json', JSON.stringify({ ...genesis, block_interval: 1 }));
  for (const { volumes = [] } of Object.values(services))
    for (const volume of volumes.filter((each) => each.startsWith('.'))) {
      const [source = '', target = ''] = volume.split(':');
      await give(join(folder, source), target);
    }
  for (const target of ['/var/lib/pharos', '/data', '/prometheus', '/var/lib/seed'])
    await root.succeed(['mkdir', '-p', target]);
  const witness = ['--witness', 'initminer', '--private-key', encodeWif(devSecret('initminer'))];
  const eager = ['--enable-stale-production', '--required-participation', '0', '--accept-low-participation'];
  const alone = ['--genesis-json', '/etc/pharos/genesis.json', '--webserver-http-endpoint', '127.0.0.1:0'];
  root.start(['pharos', 'run', '--p2p-endpoint', SEED, ...alone, ...witness, ...eager], { folder: '/var/lib/seed' });
});

after(() => root.remove());

async function write(path: string, content: string): Promise<void> {
  await root.succeed(['sh', '-c', 'mkdir -p "$(dirname "$0")" && printf %s "$1" > "$0"', path, content]);
}

async function give(from: string, to: string): Promise<void> {
  const copy = join(temporaryFolder(), 'file');
  mkdirSync(dirname(copy), { recursive: true });
  cpSync(from, copy);
  await root.succeed(['mkdir', '-p', dirname(to)]);
  await root.copyTree(copy, to);
}

/** A value with its variables, as Compose fills them in. */
function filled(value: string): string {
  return value.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, name: string) => variables[name] ?? '');
}

function serviceNamed(name: string): Service {
  return services[name] ?? assert.fail(name);
}

/** Starts a service by its command, with its environment. */
function begin(name: string, user?: { readonly uid: number; readonly gid: number }): void {
  const { command, environment = {} } = serviceNamed(name);
  const program = ['node', 'index'].includes(name) ? ['pharos'] : name === 'prometheus' ? ['prometheus'] : [];
  const given = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filled(value)]));
  const more = name === 'postgres' ? { PGDATA: DATABASE_FOLDER } : {};
  running.set(
    name,
    root.start([...program, ...command], {
      folder: '/var/lib/pharos',
      environment: { ...given, ...more },
      ...(user === undefined ? {} : { user }),
    }),
  );
}

/** Waits until the health check of a service says that it is well. */
async function isWell(name: string): Promise<void> {
  const [kind, ...words] = serviceNamed(name).healthcheck.test;
  assert.equal(kind, 'CMD');
  await waitUntil(
    () => `${name} to be well, which said ${running.get(name)?.said.stderr}${running.get(name)?.said.stdout}`,
    async () => {
      assert.ok(running.get(name)?.exited() !== true, `${name} has ended: ${running.get(name)?.said.stderr}`);
      return (await root.run(words)).code === 0 || undefined;
    },
  );
}

/** Prepares the database as PostgreSQL's image does at its first start, by the variables of the service. */
async function initialize(): Promise<{ readonly uid: number; readonly gid: number }> {
  const { environment = {} } = serviceNamed('postgres');
  const [uid = 0, gid = 0] = (await root.succeed(['sh', '-c', 'id -u postgres; id -g postgres']))
    .split('\n')
    .map(Number);
  const user = { uid, gid };
  for (const path of [DATABASE_FOLDER, '/var/run/postgresql'])
    await root.succeed(['install', '-d', '-o', 'postgres', '-g', 'postgres', '-m', '700', path]);
  await write('/var/lib/password', filled(environment['POSTGRES_PASSWORD'] ?? ''));
  const words = [
    'initdb',
    '-D',
    DATABASE_FOLDER,
    '-U',
    environment['POSTGRES_USER'] ?? '',
    '--pwfile=/var/lib/password',
  ];
  await root.succeed([...words, '--auth-local=trust', '--auth-host=scram-sha-256', '-E', 'UTF8', '--locale=C.UTF-8'], {
    user,
    environment: { PATH: `${process.env['PATH'] ?? ''}:/usr/lib/postgresql/15/bin` },
  });
  return user;
}

async function fetched(url: string): Promise<string> {
  return (await root.run(['curl', '--silent', url])).stdout;
}

test('the services come up by their commands, and their health checks find them well', async () => {
  const user = await initialize();
  begin('postgres', user);
  await waitUntil('a database', async () => {
    const make = ['psql', '-h', '127.0.0.1', '-U', 'pharos', '-c', 'CREATE DATABASE chain', 'postgres'];
    return (await root.run(make, { environment: { PGPASSWORD: 'dbsecret' } })).code === 0 || undefined;
  });
  for (const name of ['nats', 'prometheus', 'node', 'index']) begin(name);
  for (const name of ['postgres', 'nats', 'prometheus', 'node', 'index']) await isWell(name);
});

test('blocks of the seed reach the database, the stream and Prometheus', async () => {
  await waitUntil('rows of blocks', async () => {
    const ask = ['psql', '-h', 'postgres', '-U', 'pharos', '-Atc', 'SELECT max(number) FROM blocks', 'chain'];
    const { stdout } = await root.run(ask, { environment: { PGPASSWORD: 'dbsecret' } });
    return Number(stdout) > 2 || undefined;
  });
  await waitUntil(
    'events in the stream',
    async () => /"messages": [1-9]/.test(await fetched('http://nats:8222/jsz')) || undefined,
  );
  await waitUntil('two targets that are up', async () => {
    const targets = await fetched('http://prometheus:9090/api/v1/targets');
    return targets.match(/"health":"up"/g)?.length === 2 || undefined;
  });
  assert.match(await fetched('http://prometheus:9090/api/v1/rules'), /"name":"PharosDown"/);
});

test('promtool takes the settings of Prometheus with the rules beside them', async () => {
  const said = await root.succeed(['promtool', 'check', 'config', '/etc/prometheus/prometheus.yml']);
  assert.match(said, /SUCCESS: .*prometheus\.yml is valid.*\n[^]*rules found/);
});

test('node and index stop by their signal with code 0', async () => {
  for (const name of ['index', 'node']) {
    const program = running.get(name) ?? assert.fail(name);
    program.interrupt();
    assert.equal((await program.finished).code, 0, program.said.stderr);
  }
});
