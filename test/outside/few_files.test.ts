import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { hasUws } from './has_uws.ts';
import { textMember, type Json } from './json.ts';
import { CLI } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { inLongForm } from '../builders/forms.ts';

const site = new Site();
const MOST_FILES = 800;
const SILENT = 1200;

after(() => site.clear());

interface Started {
  readonly child: ChildProcess;
  readonly port: number;
  readonly output: () => string;
}

/** A private net whose process may open few files. */
async function start(server: string): Promise<Started> {
  const pair: Json = JSON.parse((await site.run(['keys'])).stdout);
  const args = ['run', '--initminer-mining-pubkey', textMember(pair, 'pub_key'), '--data-dir', site.path(server)];
  const more = ['--webserver-http-endpoint', '127.0.0.1:0', '--webserver-http-server', server];
  const child = spawn('sh', [
    '-c',
    `ulimit -n ${MOST_FILES} && exec "$0" "$@"`,
    process.execPath,
    CLI,
    ...args,
    ...more,
  ]);
  let output = '';
  const take = (text: string): void => void (output += text);
  child.stdout.setEncoding('utf8').on('data', take);
  child.stderr.setEncoding('utf8').on('data', take);
  const port = await waitUntil('the port', () => Promise.resolve(/listening on (\d+)/.exec(output)?.[1]));
  return { child, port: Number(port), output: () => output };
}

async function answers(port: number): Promise<true | undefined> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"alexandria_api.info"}';
  const answered = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    body,
    headers: { connection: 'close' },
  }).catch(() => undefined);
  await answered?.text();
  return answered?.status === 200 ? true : undefined;
}

for (const server of ['uws', 'node'])
  test(
    `${server}: clients never take the files that the database needs, and a low limit is said at start`,
    server === 'node' ? inLongForm : {},
    async (t) => {
      if (server === 'uws' && !hasUws) return t.skip('there is no binary for this Node');
      const { child, port, output } = await start(server);
      const sockets: Socket[] = [];
      try {
        assert.match(
          output(),
          new RegExp(`may open ${MOST_FILES} files: about \\d+ are left for connections.*raise ulimit -n`),
        );
        let most = 0;
        for (let k = 0; k < SILENT; k++) {
          const socket = connect({ port, host: '127.0.0.1' });
          socket.on('error', () => undefined);
          sockets.push(socket);
          if (k % 20 !== 0) continue;
          await new Promise((resolve) => void setTimeout(resolve, 10));
          most = Math.max(most, readdirSync(`/proc/${child.pid}/fd`).length);
        }
        assert.ok(most < MOST_FILES - 20, `${most} files were open`);
        for (const socket of sockets) socket.destroy();
        assert.equal(await waitUntil('an answer', () => answers(port)), true);
        assert.doesNotMatch(output(), /too many|EMFILE/i);
      } finally {
        for (const socket of sockets) socket.destroy();
        child.kill('SIGINT');
        await once(child, 'close');
      }
    },
  );
