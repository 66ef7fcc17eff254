import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { Program } from './program.ts';
import { send, transfer } from './signer.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();
const OUTDATED = 8;

after(() => site.clear());

/** A door to a node whose transfers look like an operation of a newer release, and whose chain has that version. */
async function newerDoor(program: Program, version: string): Promise<Server> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const headers = { 'content-type': 'application/json' };
      fetch(`http://127.0.0.1:${program.port}/`, { method: 'POST', headers, body: Buffer.concat(parts) })
        .then(async (answer) => await answer.text())
        .then((text) => {
          const newer = text
            .replaceAll('["transfer",', '["planted_note",')
            .replace(/("current_hardfork_version": ?")[^"]*/, `$1${version}`);
          response.writeHead(200, headers).end(newer);
        })
        .catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return server;
}

test('an export of a node of a newer release keeps the blocks before the first unknown operation, and names the release', async () => {
  const program = await site.dev('--block-interval-ms', '50');
  const { block } = await send(program, [transfer('alice', 'bob', '1.000000', 'hello')], 'alice');
  const exported = async (name: string, url: string, ...flags: readonly string[]) =>
    await site.run(['export', '--block-log', site.path(name), '--url', url, ...flags]);
  const own = `http://127.0.0.1:${program.port}`;
  await waitUntil('an irreversible block with a transfer', async () => {
    const { stderr } = await exported('whole', own);
    return Number(/^blocks 1 to (\d+)/.exec(stderr)?.[1]) > block || undefined;
  });
  const servers = await Promise.all(['1.99.0', '1.2.0'].map(async (version) => await newerDoor(program, version)));
  const [newer = '', same = ''] = servers.map((server) => {
    const address: AddressInfo | string | null = server.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  });

  const kept = await exported('kept', newer);
  assert.equal(kept.code, OUTDATED, kept.stderr);
  assert.match(kept.stderr, new RegExp(`^blocks 1 to ${block - 1}, \\d+ bytes, are in `, 'm'));
  assert.match(
    kept.stderr,
    new RegExp(
      `block ${block} is not as this program knows blocks: .*planted_note.*; the chain has applied hardfork 1\\.99\\.0, and this program knows version 1\\.2\\.0: install a release of Pharos that knows version 1\\.99\\.0, and export with that from block ${block} on \\(--from ${block}\\)`,
    ),
  );
  const log = readFileSync(site.path('kept'));
  assert.ok(log.length > 0 && log.equals(readFileSync(site.path('whole')).subarray(0, log.length)));
  assert.equal(readFileSync(site.path('kept.index')).length, 8 * (block - 1));

  // Nothing is before it.
  const none = await exported('none', newer, '--from', String(block));
  assert.deepEqual([none.code, existsSync(site.path('none'))], [OUTDATED, false], none.stderr);
  // The chain is no newer: the node is wrong.
  const wrong = await exported('wrong', same);
  assert.deepEqual([wrong.code, existsSync(site.path('wrong'))], [1, false], wrong.stderr);
  for (const server of servers) server.close();
  assert.equal(await program.stop(), 0);
});
