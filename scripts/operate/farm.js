// One node that writes, followers that answer reads, and HAProxy or nginx before these, as plain processes of this
// machine. `--help` says how it is used. The guide "A read farm" explains each part.
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { inProject } from '../place.js';
import { setUp } from '../setup.js';
import { prepareChain, peerId } from './farm_chain.js';
import { Processes } from './farm_processes.js';
import { proxies, proxyPath, proxySettings } from './farm_proxies.js';

const HELP = `node scripts/operate/farm.js [options] [-- SETTINGS OF EVERY FOLLOWER]

One node that writes, followers that answer reads, and a proxy before these, until Ctrl-C.

  --port N            where the proxy listens on 127.0.0.1 (9190)
  --followers N       how many (3)
  --data-dir D        their folders, their settings and what they say (data/farm)
  --proxy NAME        haproxy or nginx (haproxy)
  --proxy-path PATH   its program, where it is not found by itself
  --genesis-json F    the chain; without it, a private net
  --config F          the settings of the node that writes: its witness, its key
  --help              this`;

const USAGE = 2;
const FAILED = 1;
/** A follower that ends by itself is started again after so long. */
const AGAIN_MS = 1000;
const MOST_FOLLOWERS = 16;
const MOST_PORT = 65_535;

/** A mistake of who runs this. */
class Wrong extends Error {}

let processes;
let isStopping = false;

function parseSettings(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      port: { type: 'string', default: '9190' },
      followers: { type: 'string', default: '3' },
      'data-dir': { type: 'string', default: inProject('data', 'farm') },
      'genesis-json': { type: 'string' },
      config: { type: 'string' },
      proxy: { type: 'string', default: 'haproxy' },
      'proxy-path': { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const own = ownArguments(args, positionals);
  const followers = wholeNumber('followers', values.followers, MOST_FOLLOWERS);
  const port = wholeNumber('port', values.port, MOST_PORT);
  if (!Object.hasOwn(proxies, values.proxy)) throw new Wrong(`--proxy: ${Object.keys(proxies).join(' or ')} expected`);
  if ((values['genesis-json'] === undefined) !== (values.config === undefined))
    throw new Wrong(
      '--genesis-json names the chain and --config has the settings of the node that writes it: give both, or none for a private net',
    );
  return { ...values, followers, port, folder: resolve(values['data-dir']), own };
}

/** Returns the arguments after `--`. */
function ownArguments(args, positionals) {
  const at = args.indexOf('--');
  const own = at < 0 ? [] : args.slice(at + 1);
  const [stray] = positionals;
  if (positionals.length > own.length) throw new Wrong(`${stray}: settings of the followers stand behind --`);
  return own;
}

function wholeNumber(name, said, most) {
  const number = Number(said);
  if (!Number.isInteger(number) || number < 1 || number > most) throw new Wrong(`--${name}: 1 to ${most} expected`);
  return number;
}

function foundProxy({ proxy, 'proxy-path': said }) {
  const path = proxyPath(proxy, said);
  if (path !== undefined) return path;
  throw new Wrong(
    `${said ?? proxy} is missing: install it (Debian: apt-get install ${proxy}), or say where it is with --proxy-path PATH`,
  );
}

function requireFree(port) {
  return new Promise((done, failed) => {
    const server = createServer().once('error', ({ code, message }) =>
      failed(new Wrong(`--port ${port}: ${code === 'EADDRINUSE' ? 'another program listens there' : message}`)),
    );
    server.listen(port, '127.0.0.1', () => server.close(done));
  });
}

async function run(args) {
  const settings = parseSettings(args);
  if (settings.help) {
    console.log(HELP);
    return;
  }
  const proxyFile = foundProxy(settings);
  const { folder, proxy } = settings;
  await requireFree(settings.port);
  setUp();
  if (isStopping) return;
  mkdirSync(folder, { recursive: true });
  processes = new Processes(
    folder,
    () => void stop('farm_guard.js has ended, and nothing would end the others in its place'),
  );
  const chain = await prepareChain(settings);
  const names = Array.from({ length: settings.followers }, (_, k) => `follower${k + 1}`);
  const { freePorts } = await import('../../build/src/cli/net/free_ports.js');
  const [peerPort, ...ports] = await freePorts(names.length + 2);
  const places = new Map();
  for (const [index, name] of ['writer', ...names].entries()) {
    const home = join(folder, name);
    const keyFile = join(folder, `${name}.p2p_key`);
    places.set(name, { name, home, keyFile, id: peerId(keyFile), port: ports[index] });
  }
  const writer = places.get('writer');
  const followers = names.map((name) => places.get(name));

  const common = ({ home, keyFile, port }) => [
    ...[
      'run',
      ...chain.all,
      '--data-dir',
      home,
      '--p2p-key-file',
      keyFile,
      '--webserver-http-endpoint',
      `127.0.0.1:${port}`,
    ],
    ...['--webserver-http-server', 'node', '--p2p-peer-exchange', 'false'],
  ];
  const pharos = inProject('scripts/pharos.js');
  const makeFailureHandler = (name) => (reason) =>
    void stop(`${name} has ended (${reason}): ${processes.lastWords(name)}`);
  const pins = followers.flatMap(({ id }) => ['--p2p-allowed-node', id]);
  const writersFlags = [...chain.writers, '--p2p-endpoint', `127.0.0.1:${peerPort}`, ...pins];
  const first = processes.begin(
    'writer',
    process.execPath,
    [pharos, ...common(writer), ...writersFlags],
    makeFailureHandler('writer'),
  );
  await processes.untilReady('writer', writer.port, first);
  say(`writer: pid ${first.pid}, http://127.0.0.1:${writer.port}, peers on ${peerPort} as ${writer.id}`);

  const guarded = ['--private-key-methods', 'never', '--trusted-proxy', '127.0.0.1', '--head-header', 'always'];
  const trust = ['--p2p-trusted-node', `${writer.id}@127.0.0.1:${peerPort}`, '--p2p-allowed-node', writer.id];
  const follow = (place) => {
    const { name, port } = place;
    const flags = [...common(place), ...trust, ...guarded, ...settings.own];
    const child = processes.begin(name, process.execPath, [pharos, ...flags], (reason) => {
      say(`${name}: has ended (${reason}), is started again`);
      setTimeout(() => void (isStopping || follow(place)), AGAIN_MS);
    });
    say(`${name}: pid ${child.pid}, http://127.0.0.1:${port}`);
    return child;
  };
  await Promise.all(followers.map((place) => processes.untilReady(place.name, place.port, follow(place))));
  const config = join(folder, proxies[proxy].sample);
  writeFileSync(config, proxySettings(proxy, settings.port, followers));
  const front = processes.begin(proxy, proxyFile, proxies[proxy].args(config), makeFailureHandler(proxy));
  await processes.untilReady(proxy, settings.port, front);
  say(`${proxy}: pid ${front.pid}, http://127.0.0.1:${settings.port}`);
  say(`${followers.length} followers behind http://127.0.0.1:${settings.port}; Ctrl-C stops all of it`);
}

function say(line) {
  if (!isStopping) console.log(line);
}

/** Ends all of it: whoever is served is answered. */
async function stop(reason) {
  if (isStopping) return;
  isStopping = true;
  if (reason !== undefined) {
    console.error(`farm: ${reason}`);
    process.exitCode = FAILED;
  }
  await processes?.stop('SIGTERM');
}

let signalMs;
function takeSignal() {
  // One Ctrl-C can come twice, from the terminal and from npm; a later one is of somebody who can't wait.
  if (signalMs !== undefined && Date.now() - signalMs > AGAIN_MS) void processes?.stop('SIGKILL');
  signalMs ??= Date.now();
  void stop();
}

// SIGHUP is what a terminal says that is closed.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, takeSignal);
try {
  await run(process.argv.slice(2));
} catch (error) {
  const isWrong = error instanceof Wrong || error.code?.startsWith('ERR_PARSE_ARGS') === true;
  await stop(error.message);
  if (isWrong) process.exitCode = USAGE;
}
