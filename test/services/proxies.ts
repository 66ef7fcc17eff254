import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../outside/wait_until.ts';
import { project, start, succeed, temporaryFolder, type Running } from './commands.ts';
import type { ServerName } from './proxied_node.ts';

/** The proxies of the samples in scripts/operate, and the command that starts each. */
export const proxies = [
  {
    name: 'nginx',
    sample: 'nginx.conf',
    withUws: ['keepalive_timeout 30s', 'keepalive_timeout 4s'],
    args: (file: string) => ['-p', '.', '-c', file, '-g', 'daemon off; pid nginx.pid; error_log stderr;'],
  },
  {
    name: 'haproxy',
    sample: 'haproxy.cfg',
    withUws: ['pool-purge-delay 5s', 'pool-purge-delay 1s'],
    args: (file: string) => ['-db', '-f', file],
  },
] as const;

export type Proxy = (typeof proxies)[number];

/** A certificate for localhost, by itself as nginx wants it and with its key as HAProxy does. */
export async function makeCertificate(folder: string): Promise<void> {
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const files = ['-keyout', 'node.key', '-out', 'node.crt'];
  await succeed('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files], {
    folder,
  });
  const [key, certificate] = ['node.key', 'node.crt'].map((name) => readFileSync(join(folder, name), 'utf8'));
  writeFileSync(join(folder, 'node.pem'), `${certificate}${key}`);
}

/** The sample, changed as it says itself where nodes run on uWebSockets.js. */
function proxySample({ sample, withUws: [usual, instead] }: Proxy, server: ServerName): string {
  const text = readFileSync(join(project, 'scripts/operate', sample), 'utf8');
  const [, said] = /With webserver-http-server = uws, which keeps them for 8 s: ([^.\n]+)\./.exec(text) ?? [];
  assert.equal(said, instead, sample);
  assert.equal(text.split(usual).length, 2, `${sample} has ${usual} once`);
  return server === 'uws' ? text.replace(usual, instead) : text;
}

/** Starts a proxy with its sample, of which names, ports and the certificate's place alone are changed. */
export async function startProxy(
  proxy: Proxy,
  server: ServerName,
  port: number,
  nodes: readonly number[],
  certificate: string,
): Promise<Running> {
  const folder = temporaryFolder();
  const [first = 0, second = 0] = nodes;
  const text = proxySample(proxy, server)
    .replaceAll('127.0.0.1:9193', `127.0.0.1:${first}`)
    .replaceAll('127.0.0.1:9194', `127.0.0.1:${second}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('/run/haproxy/admin.sock', join(folder, 'admin.sock'))
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replaceAll('/etc/ssl/NODE.EXAMPLE', join(certificate, 'node'))
    .replaceAll('NODE.EXAMPLE', 'localhost');
  writeFileSync(join(folder, proxy.sample), text);
  const running = start(proxy.name, proxy.args(join(folder, proxy.sample)), { folder });
  let ended = false;
  void running.finished.catch(() => undefined).then(() => void (ended = true));
  await waitUntil(`${proxy.name} to answer`, async () => {
    if (ended) assert.fail(`${proxy.name} has stopped: ${running.said.stderr}`);
    const { status } = await getOverTls(port).catch(() => ({ status: 0 }));
    return status === 200 || undefined;
  });
  return running;
}

async function getOverTls(port: number): Promise<{ readonly status: number }> {
  const { request } = await import('node:https');
  return await new Promise((resolve, reject) => {
    const options = { host: 'localhost', port, path: '/readyz', rejectUnauthorized: false, agent: false };
    request(options, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    })
      .on('error', reject)
      .end();
  });
}
