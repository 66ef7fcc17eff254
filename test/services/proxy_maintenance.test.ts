import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../outside/free_port.ts';
import { optionalMember, type Json } from '../outside/json.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { project, start, succeed, temporaryFolder, type Running } from './commands.ts';
import { ClosedWhileKept, KeptClient, type Name } from './kept_client.ts';
import { makeCall, ProxiedClient, type ProxiedSocket } from './proxied_client.ts';
import { ProxiedNode, type NodeKeys } from './proxied_node.ts';

// The guide to proxies that are renewed and drained, typed as it stands there while clients call.

const guide = readFileSync(join(project, 'src/pages/guides/proxy_maintenance.md'), 'utf8');
const CALL = makeCall('alexandria_api.get_dynamic_global_properties');
const CLIENTS = 20;
const SILENT = 5;
const nodePorts: number[] = [];
const nodes: ProxiedNode[] = [];

before(async () => {
  const pharos = [join(project, 'scripts/pharos.js'), 'keys', '--seed', 'maintenance'];
  const keys: NodeKeys = JSON.parse(await succeed(process.execPath, pharos, { folder: temporaryFolder() }));
  for (let count = 0; count < 2; count++) {
    const [port, adminPort] = [await freePort(), await freePort()];
    nodePorts.push(port);
    nodes.push(new ProxiedNode({ port, adminPort, server: 'node', keys, privateKeyMethods: 'never' }));
  }
  await Promise.all(nodes.map((node) => node.ready()));
});

after(async () => {
  await Promise.all(nodes.map((node) => node.stop()));
});

/** The blocks of commands below a heading, each as its lines. */
function guideBlocks(heading: string): string[][] {
  const section = guide.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  return [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block = '']) => block.trim().split('\n'));
}

/** The machine of a proxy: its files in one folder, and the commands of the guide that act on them. */
class ProxyMachine {
  readonly folder = temporaryFolder();
  readonly port: number;
  readonly #name: 'nginx' | 'haproxy';
  #running: Running | undefined;

  private constructor(name: 'nginx' | 'haproxy', port: number) {
    this.#name = name;
    this.port = port;
  }

  /** Starts a proxy with its sample, as its unit does. */
  static async start(name: 'nginx' | 'haproxy'): Promise<ProxyMachine> {
    const machine = new ProxyMachine(name, await freePort());
    await machine.makeCertificate('node.example', 2);
    const { folder } = machine;
    const [certificate, key] = ['crt', 'key'].map((end) => readFileSync(join(folder, `node.example.${end}`), 'utf8'));
    writeFileSync(join(folder, 'node.example.pem'), `${certificate}${key}`);
    const [one = 0, two = 0] = nodePorts;
    const sample = readFileSync(join(project, 'scripts/operate', machine.#sample), 'utf8');
    const text = machine
      .#own(sample.replaceAll('NODE.EXAMPLE', 'node.example'))
      .replaceAll('127.0.0.1:9193', `127.0.0.1:${one}`)
      .replaceAll('127.0.0.1:9194', `127.0.0.1:${two}`)
      .replace('listen 443 ssl', `listen 127.0.0.1:${machine.port} ssl`);
    writeFileSync(join(folder, machine.#sample), text);
    machine.#installPrograms();
    await machine.#begin();
    return machine;
  }

  get #sample(): string {
    return this.#name === 'nginx' ? 'nginx.conf' : 'haproxy.cfg';
  }

  get running(): Running {
    return this.#running ?? assert.fail('it was not started');
  }

  /** The processes that serve. */
  get workers(): readonly number[] {
    const { pid } = this.running;
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
  }

  async makeCertificate(name: string, days: number): Promise<void> {
    const subject = ['-subj', '/CN=node.example', '-addext', 'subjectAltName=DNS:node.example'];
    const files = ['-keyout', `${name}.key`, '-out', `${name}.crt`, '-days', String(days)];
    await succeed('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], this);
  }

  /** Types a line of the guide as root. */
  async type(line: string): Promise<string> {
    const environment = { PATH: `${join(this.folder)}:${process.env['PATH'] ?? ''}:/usr/sbin` };
    return await succeed('sh', ['-c', this.#own(line)], { folder: this.folder, environment });
  }

  async end(): Promise<void> {
    this.#running?.interrupt();
    await this.#running?.finished;
  }

  /** A text of the guide or of a sample with this machine's paths and port. */
  #own(text: string): string {
    return text
      .replaceAll('/etc/ssl/', `${this.folder}/`)
      .replaceAll('/etc/haproxy/haproxy.cfg', join(this.folder, 'haproxy.cfg'))
      .replaceAll('/run/haproxy/admin.sock', join(this.folder, 'admin.sock'))
      .replaceAll('node.example:443', `127.0.0.1:${this.port}`)
      .replace('bind :443', `bind 127.0.0.1:${this.port}`)
      .replace('sport = :443', `sport = :${this.port}`);
  }

  /** Installs a `systemctl` that acts as the units of Debian do, and an `nginx` with the settings of this folder. */
  #installPrograms(): void {
    const settings = `-p ${this.folder} -c ${join(this.folder, 'nginx.conf')}`;
    const nginx = `exec /usr/sbin/nginx ${settings} -g 'pid nginx.pid; error_log stderr;' "$@"`;
    const systemctl = [
      'case "$*" in',
      '"reload nginx") exec nginx -s reload;;',
      '"reload haproxy") haproxy -c -q -f haproxy.cfg && exec kill -USR2 $(cat haproxy.pid);;',
      `"stop --no-block haproxy") exec kill -${/^KillSignal=SIG(\w+)$/m.exec(guide)?.[1]} $(cat haproxy.pid);;`,
      '"kill --signal=SIGTERM haproxy") exec kill -TERM $(cat haproxy.pid);;',
      '*) echo "systemctl $*" >&2; exit 1;;',
      'esac',
    ];
    for (const [name, lines] of Object.entries({ nginx: [nginx], systemctl })) {
      writeFileSync(join(this.folder, name), `#!/bin/sh\n${lines.join('\n')}\n`);
      chmodSync(join(this.folder, name), 0o755);
    }
  }

  async #begin(): Promise<void> {
    const args =
      this.#name === 'nginx'
        ? ['-p', this.folder, '-c', 'nginx.conf', '-g', 'daemon off; pid nginx.pid; error_log stderr;']
        : ['-W', '-db', '-f', 'haproxy.cfg'];
    const running = start(this.#name, args, this);
    this.#running = running;
    writeFileSync(join(this.folder, 'haproxy.pid'), String(running.pid));
    const client = new KeptClient(this, '127.0.0.1');
    await waitUntil(
      () => `${this.#name} to answer, which said ${running.said.stderr}`,
      async () => {
        const answer = await client.ask(CALL).catch(() => undefined);
        return answer?.status === 200 || undefined;
      },
    );
    client.close();
  }
}

/** Clients that call again and again until they are told to end, and others that are silent for a while. */
class Traffic {
  readonly failures: string[] = [];
  /** Calls that met the end of an idle connection, and were asked again. */
  again = 0;
  answered = 0;
  /** Certificates that the last connections have seen. */
  readonly #seen = new Map<number, string>();
  readonly #clients: readonly KeptClient[];
  readonly #silent: readonly KeptClient[];
  readonly #asksAgain: boolean;
  readonly #calling: Promise<unknown>;
  #isOver = false;

  constructor(name: Name, asksAgain: boolean) {
    this.#asksAgain = asksAgain;
    const clients = Array.from({ length: CLIENTS + SILENT }, (_, k) => new KeptClient(name, `127.0.5.${k + 1}`));
    this.#clients = clients.slice(0, CLIENTS);
    this.#silent = clients.slice(CLIENTS);
    this.#calling = Promise.all(this.#clients.map((client, k) => this.#callOften(client, k)));
  }

  /** Returns once each client has called anew. */
  async turn(): Promise<void> {
    const until = this.answered + 3 * CLIENTS;
    await waitUntil('calls meanwhile', () => this.answered > until || this.failures.length > 0 || undefined);
  }

  /** Waits until all clients that call have a connection with another certificate. */
  async seesOnly(fingerprint: string): Promise<void> {
    await waitUntil(
      'the new certificate at all clients',
      () => [...this.#seen.values()].every((each) => each === fingerprint) || this.failures.length > 0 || undefined,
    );
  }

  /** Has the others call; the certificates that they see. */
  async callAsSilent(): Promise<readonly string[]> {
    return await Promise.all(this.#silent.map((client) => this.#ask(client)));
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#calling;
    for (const client of [...this.#clients, ...this.#silent]) client.close();
  }

  async #callOften(client: KeptClient, k: number): Promise<void> {
    for (let turn = 0; !this.#isOver; turn++) {
      this.#seen.set(k, await this.#ask(client));
      await pause(30 + ((k * 7919 + turn * 104_729) % 100));
    }
  }

  async #ask(client: KeptClient): Promise<string> {
    try {
      const { status, text, fingerprint } = await client.ask(CALL);
      if (status !== 200 || !text.includes('head_block_number')) this.failures.push(`${status} ${text}`);
      this.answered++;
      return fingerprint;
    } catch (error) {
      if (this.#asksAgain && error instanceof ClosedWhileKept) {
        this.again++;
        return await this.#ask(client);
      }
      this.failures.push(String(error));
      return '';
    }
  }
}

/** Calls over a WebSocket that was opened before. */
async function assertAnswers(socket: ProxiedSocket): Promise<void> {
  assert.ok(socket.isOpen);
  socket.send(CALL);
  const answer: Json = await socket.next('an answer', (frame) => optionalMember(frame, 'id') === 1);
  assert.equal(optionalMember(answer, 'error'), undefined);
}

async function readFingerprint(machine: ProxyMachine, name: string): Promise<string> {
  const text = await succeed('openssl', ['x509', '-in', `${name}.crt`, '-noout', '-fingerprint', '-sha256'], machine);
  return text.trim().replace(/^.*=/, '');
}

for (const proxy of ['nginx', 'haproxy'] as const)
  test(`a certificate is renewed behind ${proxy}: old connections end well, new ones see the new one, no call fails`, async (t) => {
    const [check = [], ofNginx = [], ofHaproxy = [], look = [], ...more] = guideBlocks('Renew a certificate');
    assert.deepEqual(more, []);
    const machine = await ProxyMachine.start(proxy);
    t.after(() => machine.end());
    const former = await readFingerprint(machine, 'node.example');
    const traffic = new Traffic({ port: machine.port }, proxy === 'nginx');
    t.after(() => traffic.end());
    await traffic.seesOnly(former);
    assert.deepEqual(new Set(await traffic.callAsSilent()), new Set([former]));
    const socket = await new ProxiedClient(machine.port, '127.0.6.1').socket();
    await assertAnswers(socket);
    const workers = machine.workers;

    await machine.makeCertificate('new', 90);
    const [subject = '', ofCertificate, ofKey] = await typeAll(machine, check);
    assert.match(subject, /^subject=CN = node\.example\nnotAfter=/);
    assert.equal(ofCertificate, ofKey);
    await typeAll(machine, proxy === 'nginx' ? ofNginx : ofHaproxy);
    const fresh = await readFingerprint(machine, 'new');
    await waitUntil('the new end', async () => (await typeAll(machine, look))[0] === subject || undefined);
    const silent = await traffic.callAsSilent();
    // HAProxy answers there once more, nginx has closed what was idle.
    assert.deepEqual(new Set(silent), new Set([proxy === 'nginx' ? fresh : former]));
    assert.deepEqual(new Set(await traffic.callAsSilent()), new Set([fresh]));
    await traffic.seesOnly(fresh);
    await traffic.turn();
    await assertAnswers(socket);
    socket.close();
    await waitUntil(
      'the former processes to end',
      () => workers.every((pid) => !machine.workers.includes(pid)) || undefined,
    );
    await traffic.end();
    assert.deepEqual(traffic.failures, []);
    t.diagnostic(`${traffic.answered} calls answered, ${traffic.again} asked again`);
  });

async function typeAll(machine: ProxyMachine, lines: readonly string[]): Promise<string[]> {
  const said: string[] = [];
  for (const line of lines) said.push(await machine.type(line));
  return said;
}

test('a key of another certificate is refused before the proxy is reloaded, which goes on with the former one', async (t) => {
  const [check = [], ofNginx = [], ofHaproxy = []] = guideBlocks('Renew a certificate');
  for (const [proxy, lines] of [
    ['nginx', ofNginx],
    ['haproxy', ofHaproxy],
  ] as const) {
    const machine = await ProxyMachine.start(proxy);
    t.after(() => machine.end());
    const former = await readFingerprint(machine, 'node.example');
    await machine.makeCertificate('other', 90);
    await machine.makeCertificate('new', 90);
    await machine.type('cp other.key new.key');
    const [, ofCertificate, ofKey] = await typeAll(machine, check);
    assert.notEqual(ofCertificate, ofKey);
    await assert.rejects(typeAll(machine, lines), /key values mismatch|inconsistencies between private key/);
    const client = new KeptClient(machine, '127.0.0.1');
    assert.equal((await client.ask(CALL)).fingerprint, former);
    client.close();
  }
});

test('a node is taken out behind HAProxy, stopped, and let in again: no call fails', async (t) => {
  const [out = [], back = [], ...more] = guideBlocks('Take one node out');
  assert.deepEqual(more, []);
  const [drain = '', show = ''] = out;
  const machine = await ProxyMachine.start('haproxy');
  t.after(() => machine.end());
  const traffic = new Traffic({ port: machine.port }, false);
  t.after(() => traffic.end());
  await traffic.turn();
  assert.ok((await countConnections(machine, show)).total > 0);
  await machine.type(drain);
  await waitUntil('no call at the node', async () => (await countConnections(machine, show)).used === 0 || undefined);
  const [node = assert.fail('no node')] = nodes;
  await node.stop();
  await traffic.turn();
  await node.startAgain();
  await typeAll(machine, back);
  await waitUntil('calls at the node', async () => (await countConnections(machine, show)).total > 0 || undefined);
  await traffic.turn();
  await traffic.end();
  assert.deepEqual(traffic.failures, []);
});

/** Connections from HAProxy to the first node: those of calls and WebSockets, and all. */
async function countConnections(
  machine: ProxyMachine,
  show: string,
): Promise<{ readonly used: number; readonly total: number }> {
  const [head = '', ...lines] = (await machine.type(show)).trim().split('\n');
  const names = head.replace(/^# /, '').split(' ');
  const row = lines.find((line) => line.startsWith('pharos/one ')) ?? assert.fail(lines.join('\n'));
  const values = row.replaceAll('/', ' ').split(' ');
  const titles = names.flatMap((name) => name.split('/'));
  const column = (name: string): number => Number(values[titles.indexOf(name)]);
  return { used: column('used_cur'), total: column('used_cur') + column('idle_cur') };
}

test('HAProxy is drained: no call fails, clients go to another proxy, and its WebSocket lasts until the end', async (t) => {
  const [[stop = ''] = [], [open = ''] = [], [end = ''] = [], ...more] = guideBlocks('Drain the proxy itself');
  assert.deepEqual(more, []);
  const [first, second] = [await ProxyMachine.start('haproxy'), await ProxyMachine.start('haproxy')];
  t.after(() => Promise.all([first.end(), second.end()]));
  const name = { port: first.port };
  const traffic = new Traffic(name, false);
  t.after(() => traffic.end());
  const of = {
    first: await readFingerprint(first, 'node.example'),
    second: await readFingerprint(second, 'node.example'),
  };
  await traffic.seesOnly(of.first);
  await traffic.callAsSilent();
  const socket = await new ProxiedClient(first.port, '127.0.6.2').socket();
  const connections = async (): Promise<number> => (await first.type(open)).split('\n').filter(Boolean).length;
  assert.ok((await connections()) > CLIENTS);

  name.port = second.port;
  await first.type(stop);
  await traffic.seesOnly(of.second);
  assert.deepEqual(new Set(await traffic.callAsSilent()), new Set([of.first]));
  assert.deepEqual(new Set(await traffic.callAsSilent()), new Set([of.second]));
  await waitUntil('one WebSocket alone', async () => (await connections()) === 1 || undefined);
  await assert.rejects(new KeptClient(first, '127.0.0.1').ask(CALL), /ECONNREFUSED/);
  await assertAnswers(socket);
  await first.type(end);
  await first.running.finished;
  await waitUntil('the end of the WebSocket', () => !socket.isOpen || undefined);
  const again = await new ProxiedClient(name.port, '127.0.6.2').socket();
  await assertAnswers(again);
  again.close();
  await traffic.turn();
  await traffic.end();
  assert.deepEqual(traffic.failures, []);
});
