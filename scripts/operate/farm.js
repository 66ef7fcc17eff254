// One node that writes, followers that answer reads, and HAProxy before these, as plain processes of this machine.
//   node scripts/operate/farm.js [--port 9190] [--followers 3] [--data-dir data/farm] [--genesis-json F --config F] [--haproxy PATH] [-- SETTINGS]
// Without --genesis-json it makes a private net. --config has the settings of the node that writes (its witness, its key); what stands behind
// `--` goes to every follower. Ctrl-C stops all of it. What each part of it is, is said in README.md, "A read farm".
import { spawn } from 'node:child_process';
import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { accessSync, constants, createWriteStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer } from 'node:net';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { inProject } from '../place.js';
import { setUp } from '../setup.js';

const USAGE = 2;
const FAILED = 1;
/** A node opens in a second; on a busy machine, with a large chain, in some. */
const START_MS = 60_000;
const LOOK_MS = 200;
/** A follower that ends by itself is started again after so long. */
const AGAIN_MS = 1000;
const MOST_FOLLOWERS = 16;
/** The beginning of an Ed25519 key in PKCS #8; 32 bytes of secret follow. */
const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');

/** A mistake of who runs this. */
class Wrong extends Error {}

const running = new Set();
let isStopping = false;

function settingsOf(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '9190' },
      followers: { type: 'string', default: '3' },
      'data-dir': { type: 'string', default: inProject('data', 'farm') },
      'genesis-json': { type: 'string' },
      config: { type: 'string' },
      haproxy: { type: 'string' },
    },
  });
  const followers = Number(values.followers);
  if (!Number.isInteger(followers) || followers < 1 || followers > MOST_FOLLOWERS)
    throw new Wrong(`--followers: 1 to ${MOST_FOLLOWERS} expected`);
  if ((values['genesis-json'] === undefined) !== (values.config === undefined))
    throw new Wrong(
      '--genesis-json names the chain and --config has the settings of the node that writes it: give both, or none for a private net',
    );
  const folder = resolve(values['data-dir']);
  mkdirSync(folder, { recursive: true });
  return { ...values, followers, folder, own: positionals };
}

/** HAProxy's path: as it was said, or where systems keep it. */
function haproxyPath(said) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const paths = said === undefined ? folders.map((folder) => join(folder, 'haproxy')) : [resolve(said)];
  const found = paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined)
    throw new Wrong(
      `${said ?? 'haproxy'} is missing: install it (Debian: apt-get install haproxy), or say where it is with --haproxy PATH`,
    );
  return found;
}

/** A port that nobody listens on. */
function freePort() {
  return new Promise((done, failed) => {
    const server = createServer().once('error', failed);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** The id by which peers know the node whose key lies in that file, which is made where there is none. */
function peerId(file) {
  if (!existsSync(file)) writeFileSync(file, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'hex');
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: 'der', type: 'pkcs8' });
  return createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
}

/** A process of the farm; what it says goes into a file. `ended` hears of an end that nobody asked for. */
function begin(name, command, args, folder, ended) {
  const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' });
  const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  running.add(child);
  child.once('error', (error) => console.error(`farm: ${name}: ${error.message}`));
  child.once('close', (code, signal) => {
    running.delete(child);
    log.end();
    if (!isStopping) ended(signal ?? `code ${code}`);
  });
  return child;
}

function isReady(port) {
  return new Promise((done) => {
    get({ host: '127.0.0.1', port, path: '/readyz', agent: false }, (response) => {
      response.resume();
      done(response.statusCode === 200);
    }).once('error', () => done(false));
  });
}

async function untilReady(name, port, folder, child) {
  const endMs = Date.now() + START_MS;
  while (!(await isReady(port))) {
    if (isStopping) return;
    if (child.exitCode !== null || Date.now() > endMs) throw new Error(`${name} does not start: ${join(folder, `${name}.log`)} says why`);
    await sleep(LOOK_MS);
  }
}

/** Which chain: as it was said, or a private net with a key of its own. The flags of all nodes, and those of the one that writes. */
async function chainOf({ 'genesis-json': genesis, config, folder }) {
  if (genesis !== undefined) return { all: ['--genesis-json', resolve(genesis)], writers: ['--config', resolve(config)] };
  const file = join(folder, 'private_net_keys.json');
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(await newKeys()), { mode: 0o600 });
  const { pub_key, wif_priv_key } = JSON.parse(readFileSync(file, 'utf8'));
  const settings = join(folder, 'writer.ini');
  writeFileSync(settings, `witness = initminer\nprivate-key = ${wif_priv_key}\nenable-stale-production = true\n`, { mode: 0o600 });
  return { all: ['--initminer-mining-pubkey', pub_key], writers: ['--config', settings] };
}

async function newKeys() {
  const child = spawn(process.execPath, [inProject('scripts/pharos.js'), 'keys'], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  for await (const part of child.stdout) said += part;
  return JSON.parse(said);
}

/** haproxy.cfg of this folder, without TLS and before these nodes. */
function proxySettings(port, nodes) {
  const servers = nodes.map(({ name, port: own }) => `  server ${name} 127.0.0.1:${own} check`).join('\n');
  return readFileSync(fileURLToPath(new URL('haproxy.cfg', import.meta.url)), 'utf8')
    .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
    .replace('X-Forwarded-Proto https', 'X-Forwarded-Proto http')
    .replace(/^(?: {2}server .*\n?)+/m, `${servers}\n`);
}

async function run(args) {
  const settings = settingsOf(args);
  const haproxy = haproxyPath(settings.haproxy);
  setUp();
  if (isStopping) return;
  const { folder } = settings;
  const chain = await chainOf(settings);
  const names = Array.from({ length: settings.followers }, (_, k) => `follower${k + 1}`);
  const places = new Map();
  for (const name of ['writer', ...names]) {
    const home = join(folder, name);
    const keyFile = join(folder, `${name}.p2p_key`);
    places.set(name, { name, home, keyFile, id: peerId(keyFile), port: await freePort() });
  }
  const writer = places.get('writer');
  const followers = names.map((name) => places.get(name));
  const peerPort = await freePort();

  const common = ({ home, keyFile, port }) => [
    ...['run', ...chain.all, '--data-dir', home, '--p2p-key-file', keyFile, '--webserver-http-endpoint', `127.0.0.1:${port}`],
    ...['--webserver-http-server', 'node', '--p2p-peer-exchange', 'false'],
  ];
  const pharos = inProject('scripts/pharos.js');
  const failedFor = (name) => (reason) => void stop(`${name} has ended (${reason}): ${join(folder, `${name}.log`)} says why`);
  const pins = followers.flatMap(({ id }) => ['--p2p-allowed-node', id]);
  const writersFlags = [...chain.writers, '--p2p-endpoint', `127.0.0.1:${peerPort}`, ...pins];
  const first = begin('writer', process.execPath, [pharos, ...common(writer), ...writersFlags], folder, failedFor('writer'));
  await untilReady('writer', writer.port, folder, first);
  say(`writer: pid ${first.pid}, http://127.0.0.1:${writer.port}, peers on ${peerPort} as ${writer.id}`);

  const guarded = ['--private-key-methods', 'never', '--trusted-proxy', '127.0.0.1', '--head-header', 'always'];
  const trust = ['--p2p-trusted-node', `${writer.id}@127.0.0.1:${peerPort}`, '--p2p-allowed-node', writer.id];
  const follow = (place) => {
    const { name, port } = place;
    const flags = [...common(place), ...trust, ...guarded, ...settings.own];
    const child = begin(name, process.execPath, [pharos, ...flags], folder, (reason) => {
      say(`${name}: has ended (${reason}), is started again`);
      setTimeout(() => void (isStopping || follow(place)), AGAIN_MS);
    });
    say(`${name}: pid ${child.pid}, http://127.0.0.1:${port}`);
    return child;
  };
  await Promise.all(followers.map((place) => untilReady(place.name, place.port, folder, follow(place))));
  const config = join(folder, 'haproxy.cfg');
  writeFileSync(config, proxySettings(settings.port, followers));
  const proxy = begin('haproxy', haproxy, ['-db', '-f', config], folder, failedFor('haproxy'));
  await untilReady('haproxy', Number(settings.port), folder, proxy);
  if (!isStopping) say(`${followers.length} followers behind http://127.0.0.1:${settings.port}; Ctrl-C stops all of it`);
}

function say(line) {
  if (!isStopping) console.log(line);
}

/** Ends all of it, the proxy first: whoever is served is answered. */
async function stop(reason) {
  if (isStopping) return;
  isStopping = true;
  if (reason !== undefined) {
    console.error(`farm: ${reason}`);
    process.exitCode = FAILED;
  }
  const ends = [...running].map((child) => new Promise((done) => child.once('close', done)));
  for (const child of running) child.kill('SIGTERM');
  await Promise.all(ends);
}

let signalMs;
function takeSignal() {
  // One Ctrl-C can come twice, from the terminal and from npm; a later one is of somebody who can't wait.
  if (signalMs !== undefined && Date.now() - signalMs > AGAIN_MS) for (const child of running) child.kill('SIGKILL');
  signalMs ??= Date.now();
  void stop();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, takeSignal);
try {
  await run(process.argv.slice(2));
} catch (error) {
  const isWrong = error instanceof Wrong || error.code?.startsWith('ERR_PARSE_ARGS') === true;
  await stop(error.message);
  if (isWrong) process.exitCode = USAGE;
}
