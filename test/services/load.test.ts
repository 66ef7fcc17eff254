import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createServer, type Server } from 'node:tls';
import { waitUntil } from '../outside/wait_until.ts';
import { project, run, start, temporaryFolder, type Finished, type Running } from './commands.ts';
import { makeCertificate } from './proxies.ts';

const CLI = join(project, 'build', 'program', 'node', 'cli.js');
const folder = temporaryFolder();
let node: Running;
let port: number;

before(async () => {
  const flags = ['dev', '--fresh', '--data-dir', join(folder, 'data'), '--port', '0', '--block-interval-ms', '200'];
  node = start(process.execPath, [CLI, ...flags], { folder });
  port = await waitUntil('the node', () => {
    const said = /JSON-RPC +http:\/\/127\.0\.0\.1:(\d+)/.exec(node.said.stdout)?.[1];
    return said === undefined ? undefined : Number(said);
  });
});

after(() => node.kill());

/** Runs a command on a terminal of that width, and prints what it shows there; nothing is typed. */
const TERMINAL = `
import fcntl, os, pty, struct, sys, termios
columns, command = int(sys.argv[1]), sys.argv[2:]
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(2, termios.TIOCSWINSZ, struct.pack('HHHH', 24, columns, 0, 0))
    os.execv(command[0], command)
while True:
    try:
        shown = os.read(terminal, 65536)
    except OSError:
        break
    if not shown:
        break
    os.write(1, shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
`;

async function onTerminal(columns: number, args: readonly string[]): Promise<Finished> {
  return await run('python3', ['-c', TERMINAL, String(columns), process.execPath, CLI, ...args], { folder });
}

const loadFlags = (...args: readonly string[]): string[] => [
  'load',
  '--url',
  `http://127.0.0.1:${port}`,
  '--threads',
  '1',
  '--until',
  'block',
  ...args,
];

/** The sequence that removes a line from a terminal. */
const ERASED = '\r\u001b[K';

/** The status lines in what a terminal was sent: each takes the place of the one before. */
function statusLines(shown: string): string[] {
  return shown.split(ERASED).map((line) => line.replace(/\r?\n[^]*$/, ''));
}

test('a terminal shows each second in one line that fits into it, and in the end the report alone', async () => {
  for (const columns of [200, 80, 40]) {
    const { code, stdout } = await onTerminal(columns, loadFlags('--rate', '50', '--duration', '3s', '--batch', '5'));
    assert.equal(code, 0, stdout);
    const lines = statusLines(stdout).slice(1);
    const seconds = lines.filter((line) => /^\d+ s · \d+ calls\/s/.test(line));
    assert.ok(seconds.length >= 2, stdout);
    assert.ok(
      lines.every((line) => line.length < columns),
      lines.join('\n'),
    );
    if (columns === 200)
      assert.match(
        seconds[1] ?? '',
        /^\d+ s · \d+ calls\/s · p50 [\d.]+ ms, p99 [\d.]+ ms · 0 refused · block \d+ · \d+ wait for one · CPU \d+ % own/,
      );
    // The last one is removed before the report is printed.
    assert.equal(lines.at(-1), '');
    assert.match(stdout.slice(stdout.lastIndexOf(ERASED)), /^.{3}K\r?\nload {9}mix plain, 50 a second/s);
  }
});

test('a terminal shows how far accounts are made, and without one lines say what is being done', async () => {
  const { code, stdout } = await onTerminal(100, loadFlags('--prepare', '30', '--seed', 'terminal'));
  assert.equal(code, 0, stdout);
  assert.match(stdout, /accounts [^\n]*30\/30/);
  const quiet = await run(process.execPath, [CLI, ...loadFlags('--count', '20', '--mix', 'plain', '--batch', '5')], {
    folder,
  });
  assert.deepEqual(
    [quiet.code, quiet.stderr],
    [0, 'signing ahead\nwaiting for blocks\nlooking up what was acknowledged\n'],
  );
});

/** A proxy that takes TLS off, with a certificate of its own, as one stands in front of a node. */
async function tlsProxy(): Promise<Server> {
  await makeCertificate(folder);
  const [key, cert] = ['node.key', 'node.crt'].map((name) => readFileSync(join(folder, name)));
  assert.ok(key !== undefined && cert !== undefined);
  const server = createServer({ key, cert }, (socket) => {
    const behind = connect(port, '127.0.0.1');
    socket.pipe(behind).pipe(socket);
    const end = (): void => {
      socket.destroy();
      behind.destroy();
    };
    for (const one of [socket, behind]) one.on('error', end);
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return server;
}

test('a node behind TLS is loaded over https:// and wss://, when its certificate is trusted', async () => {
  const proxy = await tlsProxy();
  const { port: tlsPort } = proxy.address() as AddressInfo;
  const environment = { NODE_EXTRA_CA_CERTS: join(folder, 'node.crt') };
  const args = ['--threads', '1', '--until', 'block', '--rate', '50', '--duration', '1s', '--batch', '5'];
  for (const [scheme, way] of [
    ['https', 'connections'],
    ['wss', 'WebSockets'],
  ] as const) {
    const command = [CLI, 'load', '--url', `${scheme}://localhost:${tlsPort}`, ...args];
    const { code, stdout, stderr } = await run(process.execPath, command, { folder, environment });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`^load {9}mix plain, 50 a second, 256 ${way} at most`, 'm'));
    assert.match(stdout, /^answered {5}50, of which 50 were not refused/m);
    assert.match(stdout, /^verdict {6}kept: each is in a block, once$/m);
    assert.match(stdout, /^health {7}ready/m);
  }
  const distrusted = await run(process.execPath, [CLI, 'load', '--url', `https://localhost:${tlsPort}`, ...args], {
    folder,
  });
  assert.deepEqual([distrusted.code, distrusted.stdout], [1, '']);
  assert.match(
    distrusted.stderr,
    /^pharos: no answer from the node at https:\/\/localhost:\d+: .*certificate[^\n]*\n$/,
  );
  proxy.close();
});
