import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const isRoot = process.getuid?.() === 0;
/** The packages of distributions let nginx keep large bodies in folders that only root may write. */
const ownFolders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  .map((of) => `  ${of}_temp_path ${of}_temp;\n`)
  .join('');

/**
 * The proxies of this folder: how each is started with its sample, and how the sample names the nodes and is made one
 * without TLS.
 */
export const proxies = {
  haproxy: {
    sample: 'haproxy.cfg',
    args: (file) => ['-db', '-f', file],
    server: ({ name, port }) => `  server ${name} 127.0.0.1:${port} check`,
    without: (text, port) =>
      text
        .replace(/^ {2}#.*\n {2}stats socket .*\n/m, '')
        .replace(/^ {2}bind .*$/m, `  bind 127.0.0.1:${port}`)
        .replace('X-Forwarded-Proto https', 'X-Forwarded-Proto http'),
  },
  nginx: {
    sample: 'nginx.conf',
    args: (file) => ['-p', '.', '-c', file, '-e', 'stderr', '-g', 'daemon off; pid nginx.pid; error_log stderr;'],
    server: ({ port }) => `    server 127.0.0.1:${port} max_fails=1 fail_timeout=3s;`,
    without: (text, port) =>
      text
        .replace(/^ {4}listen .*$/m, `    listen 127.0.0.1:${port};`)
        .replace(/^ {4}ssl_.*\n/gm, '')
        .replace('server_name NODE.EXAMPLE', 'server_name localhost')
        .replace('  access_log off;\n', (line) => `${line}${isRoot ? '' : ownFolders}`),
  },
};

/** A proxy's path: as it was said, or where systems keep it; undefined when it is not there. */
export function proxyPath(name, said) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const paths = said === undefined ? folders.map((folder) => join(folder, name)) : [resolve(said)];
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The sample of a proxy, without TLS, on that port and before these nodes. */
export function proxySettings(name, port, nodes) {
  const { sample, server, without } = proxies[name];
  const text = readFileSync(fileURLToPath(new URL(sample, import.meta.url)), 'utf8');
  return without(text, port).replace(
    /^(?: +server (?:\w+ )?127\.0\.0\.1:.*\n?)+/m,
    `${nodes.map(server).join('\n')}\n`,
  );
}
