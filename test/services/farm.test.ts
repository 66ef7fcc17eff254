import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect } from '../../src/client/index.ts';
import { present } from '../../src/base/assert.ts';
import { numberAt, type Json } from '../outside/json.ts';
import { waitFor } from '../outside/wait_for.ts';
import { isLong, project, start, temporaryFolder, type Running } from './commands.ts';
import { freePort } from './proxies.ts';

// One writer, three followers and HAProxy by one command; followers are killed under load, and started again.

const READERS = 6;
const KILLS = isLong ? 30 : 3;
const FARM = join(project, 'scripts/operate/farm.js');
const farms: Running[] = [];

after(async () => {
  for (const farm of farms) farm.interrupt();
  await Promise.all(farms.map(({ finished }) => finished));
});

function startFarm(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Running {
  const farm = start(process.execPath, [FARM, ...args], { folder: temporaryFolder(), environment });
  farms.push(farm);
  return farm;
}

test('a farm without HAProxy says what is missing, and wrong flags what is right', async () => {
  for (const [args, said] of [
    [['--haproxy', '/nowhere/haproxy'], /\/nowhere\/haproxy is missing: install it \(Debian: apt-get install haproxy\)/],
    [['--followers', '0'], /--followers: 1 to 16 expected/],
    [['--genesis-json', 'genesis.json'], /give both, or none/],
  ] as const) {
    const { code, stderr } = await startFarm(['--data-dir', temporaryFolder(), ...args]).finished;
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
  }
});

/** Kills a follower, and waits until the farm has started it again and it is ready. */
async function killAndAwait(farm: Running, name: string): Promise<void> {
  const starts = (): string[] => [...farm.said.stdout.matchAll(new RegExp(`^${name}: pid (\\d+)`, 'gm'))].map(([, pid = '']) => pid);
  const before = starts();
  process.kill(Number(present(before.at(-1), name)), 'SIGKILL');
  await waitFor(`${name} again`, () => (starts().length > before.length ? true : undefined));
  const address = present(new RegExp(`^${name}: pid \\d+, (\\S+)`, 'm').exec(farm.said.stdout)?.[1], name);
  await waitFor(`${name} to be ready`, async () => (await fetch(`${address}/readyz`).catch(() => undefined))?.ok || undefined);
}

async function someMore(load: { readonly reads: number }): Promise<void> {
  const before = load.reads;
  await waitFor('reads meanwhile', () => (load.reads > before + 50 ? true : undefined));
}

test('followers are killed under load: no read fails but those under way, none is older than what was seen before', async () => {
  const port = await freePort();
  const folder = temporaryFolder();
  const farm = startFarm(['--port', String(port), '--data-dir', folder, '--', '--max-calls-per-second', '0']);
  await waitFor('the farm', () => (/Ctrl-C stops all of it/.test(farm.said.stdout) ? true : undefined));
  const load = { isOver: false, reads: 0, failed: 0 };
  const reader = async (): Promise<void> => {
    let seen = 0;
    while (!load.isOver) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, min_head: seen, method: 'alexandria_api.info', params: {} });
      try {
        const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
        const said: Json = JSON.parse(await response.text());
        const number = numberAt(said, 'result.info.head_block_number');
        assert.ok(number >= seen, `block ${number} after ${seen}`);
        seen = number;
        load.reads++;
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error;
        load.failed++;
      }
      await setTimeout(10);
    }
  };
  const readers = Array.from({ length: READERS }, reader);
  for (let kill = 0; kill < KILLS; kill++) {
    await killAndAwait(farm, `follower${(kill % 3) + 1}`);
    await someMore(load);
  }
  load.isOver = true;
  await Promise.all(readers);
  assert.ok(load.failed <= KILLS * READERS, `${load.failed} of ${load.reads} reads have failed`);

  // Each call goes to the follower that has the least to do: what is written by one is read by another.
  const client = await connect(`http://127.0.0.1:${port}`);
  const keys: { readonly wif_priv_key: string } = JSON.parse(readFileSync(join(folder, 'private_net_keys.json'), 'utf8'));
  for (const json of ['"one"', '"two"']) {
    const operation = { sender: 'initminer', recipients: ['initminer'], app_id: 1n, json };
    const { id } = await client.send([['custom_json', operation]], [keys.wif_priv_key]);
    for (let read = 0; read < 6; read++) await client.call('alexandria_api.get_transaction', { tx_id: id });
  }
  await assert.rejects(client.call('alexandria_api.sign_digest', { digest: '00'.repeat(32), pk: '5' }));
  client.close();
  const pids = [...farm.said.stdout.matchAll(/pid (\d+)/g)].map(([, pid]) => Number(pid));
  farm.interrupt();
  assert.equal((await farm.finished).code, 0, farm.said.stderr);
  for (const pid of pids) assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});
