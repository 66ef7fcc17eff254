import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';
import { start, temporaryFolder } from './commands.ts';

/** Writes the scripts of a page into a folder; that which is loaded first is `page.js`. */
export type Bundle = (folder: string, contents: string, into: string) => Promise<void>;

const byEsbuild: Bundle = async (folder, contents, into) => {
  await build({
    stdin: { contents, resolveDir: folder },
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser', entryNames: 'page' },
    outdir: into,
  });
};

/**
 * Returns the output of a program in a page of Chromium, under a content policy that compiles no text: `call` is an
 * expression whose promise resolves with it. The folder has the packages that the program imports.
 */
export async function saidInChromium(
  folder: string,
  program: string,
  call: string,
  bundle: Bundle = byEsbuild,
): Promise<string> {
  const contents = `${program}
    ${call}.catch((error) => String(error.stack)).then((text) => fetch('/said', { method: 'POST', body: text + '\\n' }));`;
  await bundle(folder, contents, join(folder, 'page'));
  const { server, heard } = await pageServer(join(folder, 'page'));
  const profile = temporaryFolder();
  mkdirSync(profile, { recursive: true });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-dev-shm-usage',
    '--remote-debugging-port=0',
    `--user-data-dir=${profile}`,
  ];
  const browser = start('chromium', [...flags, url], { folder: profile });
  try {
    return await Promise.race([heard, browser.finished.then(({ stderr }) => stderr)]);
  } finally {
    browser.kill();
    server.close();
    server.closeAllConnections();
  }
}

/** Serves a page that may load its own scripts, compile no text, and speak to any node. */
async function pageServer(scripts: string): Promise<{ readonly server: Server; readonly heard: Promise<string> }> {
  let tell: (text: string) => void;
  const heard = new Promise<string>((resolve) => (tell = resolve));
  const server = createServer((request, response) => {
    if (request.method === 'POST') {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => (response.end(), tell(body)));
      return;
    }
    const policy = `default-src 'none'; script-src 'self'; connect-src *`;
    const path = request.url ?? '/';
    if (path === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy });
      response.end('<!doctype html><title>client</title><script type="module" src="/page.js"></script>');
    } else if (/^\/[\w.-]+\.js$/.test(path)) {
      response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(readFileSync(join(scripts, path)));
    } else response.writeHead(404).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, heard };
}
