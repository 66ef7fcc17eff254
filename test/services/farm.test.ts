import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { connect } from '../../src/client/index.ts';
import { listMember, numberMember, textMember, type Json } from '../outside/json.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { isLong, project, start, temporaryFolder } from './commands.ts';
import { Farm, startFarm } from './farm.ts';
import { freePort } from '../outside/free_port.ts';
import { proxies } from './proxies.ts';

// One writer, three followers and a proxy by one command; followers are killed under load, and started again.

const READERS = 6;
const KILLS = isLong ? 30 : 3;
const INFO = 'alexandria_api.info';

test('a farm says what is missing or wrong before it starts anything, and how it is used', async () => {
  const other = createServer();
  const taken = await new Promise<string>((done) => {
    other.listen(0, '127.0.0.1', () => {
      const address = other.address();
      done(typeof address === 'object' && address !== null ? String(address.port) : '');
    });
  });
  for (const [args, said] of [
    [
      ['--proxy-path', '/nowhere/haproxy'],
      /\/nowhere\/haproxy is missing: install it \(Debian: apt-get install haproxy\)/,
    ],
    [['--proxy', 'nginx', '--proxy-path', '/nowhere/nginx'], /Debian: apt-get install nginx/],
    [['--proxy', 'constructor'], /--proxy: haproxy or nginx expected/],
    [['--followers', '0'], /--followers: 1 to 16 expected/],
    [['--port', '65536'], /--port: 1 to 65535 expected/],
    [['--port', taken], new RegExp(`--port ${taken}: another program listens there`)],
    [['--genesis-json', 'genesis.json'], /give both, or none/],
    [['max-calls-per-second=0'], /stand behind --/],
    [['--folowers', '2'], /--folowers/],
  ] as const) {
    const { code, stderr } = await startFarm(['--data-dir', temporaryFolder(), ...args]).finished;
    assert.equal(code, 2, stderr);
    assert.match(stderr, said);
  }
  other.close();
  const { code, stdout } = await startFarm(['--help']).finished;
  assert.equal(code, 0);
  for (const option of ['port', 'followers', 'data-dir', 'proxy', 'proxy-path', 'genesis-json', 'config'])
    assert.ok(stdout.includes(`--${option} `), option);
});

/** The results of readers. */
interface Load {
  isOver: boolean;
  reads: number;
  /** Reads that failed and were not under way when a follower was killed. */
  readonly failures: string[];
  underWay: number;
  /** Reads that a follower which had not come so far has refused, and that were asked again. */
  again: number;
}

/**
 * As `pharos/client` asks again: behind nginx it may be at a follower that has just started. As long as a ready node
 * may lag, which a busy machine needs.
 */
const ATTEMPTS = 30;
const AGAIN_MS = 1000;

/** Reads one block after another, each at least of the head that the one before had. */
async function read(farm: Farm, load: Load): Promise<void> {
  let seen = 0;
  while (!load.isOver) {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, min_head: seen, method: INFO, params: {} });
    const { count, unnoticed } = farm.kills;
    let said = '';
    let number = -1;
    try {
      said = await postBody(farm, body, load);
      const answer: Json = JSON.parse(said);
      number = numberMember(answer, 'result.info.head_block_number');
    } catch (error) {
      if (unnoticed || farm.kills.count > count) load.underWay++;
      else load.failures.push(said === '' ? String(error) : said);
    }
    if (number >= 0) {
      if (number < seen) load.failures.push(`block ${number} after ${seen}`);
      seen = number;
      load.reads++;
    }
    await setTimeout(10);
  }
}

async function postBody({ url }: Farm, body: string, load: Load): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const said = await (await fetch(url, { method: 'POST', body })).text();
    if (attempt === ATTEMPTS || !/"name":"head_(?:not_reached|out_of_reach)"/.test(said)) return said;
    load.again++;
    await setTimeout(AGAIN_MS);
  }
}

async function someMore(load: Load): Promise<void> {
  const before = load.reads;
  await waitUntil('reads meanwhile', () => load.reads > before + 50 || undefined);
}

async function killUnderLoad(farm: Farm, t: TestContext): Promise<void> {
  const load: Load = { isOver: false, reads: 0, failures: [], underWay: 0, again: 0 };
  const readers = Array.from({ length: READERS }, () => read(farm, load));
  try {
    for (let kill = 0; kill < KILLS; kill++) {
      await killAndRead(farm, `follower${(kill % 3) + 1}`, load);
    }
  } finally {
    load.isOver = true;
    await Promise.all(readers);
  }
  t.diagnostic(
    `${load.reads} reads, ${KILLS} kills: ${load.underWay} reads that were under way have failed, ${load.again} were asked again`,
  );
  assert.deepEqual(load.failures, []);
  assert.ok(load.underWay <= KILLS * READERS, `${load.underWay} of ${load.reads} reads have failed`);
}

async function killAndRead(farm: Farm, name: string, load: Load): Promise<void> {
  await farm.killAndAwait(name);
  await someMore(load);
}

function privateKey({ folder }: Farm): string {
  const keys: { readonly wif_priv_key: string } = JSON.parse(
    readFileSync(join(folder, 'private_net_keys.json'), 'utf8'),
  );
  return keys.wif_priv_key;
}

/** Each call goes to some follower: what is written by one is read by another. */
async function writeAndReadAtAny(farm: Farm): Promise<void> {
  const client = await connect(farm.url);
  for (const json of ['"one"', '"two"']) await write(client, json, privateKey(farm));
  client.close();
}

async function write(client: Awaited<ReturnType<typeof connect>>, json: string, key: string): Promise<void> {
  const operation = { sender: 'initminer', recipients: ['initminer'], app_id: 1n, json };
  const { id } = await client.send([['custom_json', operation]], [key]);
  for (let again = 0; again < 6; again++) await client.call('alexandria_api.get_transaction', { tx_id: id });
}

async function callMethod(url: string, method: string, params: Json): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer: Json = JSON.parse(await (await fetch(url, { method: 'POST', body })).text());
  return answer;
}

async function fetchHead(url: string): Promise<number> {
  return numberMember(await callMethod(url, INFO, {}), 'result.info.head_block_number');
}

/** A node of the same chain that knows where the writer is, and whom the farm does not know. */
async function startStranger(farm: Farm, t: TestContext): Promise<string> {
  const keys: { readonly pub_key: string } = JSON.parse(
    readFileSync(join(farm.folder, 'private_net_keys.json'), 'utf8'),
  );
  const [folder, port] = [temporaryFolder(), await freePort()];
  const own = [
    '--data-dir',
    join(folder, 'chain'),
    '--webserver-http-endpoint',
    `127.0.0.1:${port}`,
    '--webserver-http-server',
    'node',
  ];
  const args = ['--initminer-mining-pubkey', keys.pub_key, '--p2p-seed-node', `127.0.0.1:${farm.peerPort()}`, ...own];
  const running = start(process.execPath, [join(project, 'scripts/pharos.js'), 'run', ...args], { folder });
  t.after(async () => {
    running.interrupt();
    await running.finished;
  });
  const url = `http://127.0.0.1:${port}`;
  // It has dialled, and was shown out, by then.
  await waitUntil('the stranger', async () => {
    if (running.exited()) assert.fail(running.said.stderr);
    return (await fetchHead(url).catch(() => undefined)) === 0 || undefined;
  });
  return url;
}

const FOLLOWERS = ['follower1', 'follower2', 'follower3'];

/** Also when nobody has waited for its end. */
function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

for (const { name: proxy } of proxies)
  test(`followers behind ${proxy} are killed under load: no read fails but those under way, none is older than what was seen before`, async (t) => {
    const farm = await Farm.start(proxy);
    await killUnderLoad(farm, t);
    await writeAndReadAtAny(farm);
    const pids = farm.pids();
    farm.running.interrupt();
    assert.equal((await farm.running.finished).code, 0, farm.running.said.stderr);
    for (const pid of pids) assert.ok(isGone(pid), `${pid}`);
  });

test('a farm is taken over by nobody: each follower broadcasts, none takes private keys or the administration’s calls, strangers are no peers', async (t) => {
  const farm = await Farm.start('haproxy');
  const broadcasts = FOLLOWERS.map(async (name) => {
    const client = await connect(farm.address(name));
    await write(client, `"${name}"`, privateKey(farm));
    client.close();
  });
  await Promise.all(broadcasts);
  const private_key = privateKey(farm);
  for (const url of [farm.url, ...FOLLOWERS.map((name) => farm.address(name))]) {
    const key = await callMethod(url, 'alexandria_api.get_public_key', { private_key });
    assert.equal(textMember(key, 'error.data.name'), 'private_keys_not_allowed');
    for (const method of [
      'network_node_api.get_connected_peers',
      'witness_node_api.pause',
      'snapshot_api.create_snapshot',
    ])
      assert.equal(textMember(await callMethod(url, method, {}), 'error.data.name'), 'method_not_found', method);
  }
  const stranger = await startStranger(farm, t);
  await waitUntil('blocks meanwhile', async () => (await fetchHead(farm.url)) > 3 || undefined);
  assert.deepEqual(
    listMember(await callMethod(stranger, 'network_node_api.get_connected_peers', {}), 'result.peers'),
    [],
  );
  assert.equal(await fetchHead(stranger), 0);
});

test('a farm that is killed leaves no process behind, and the next one goes on with its folder, which no second one takes', async () => {
  const farm = await Farm.start('nginx');
  const head = await fetchHead(farm.url);
  const pids = farm.pids();
  farm.running.kill();
  await farm.running.finished;
  await waitUntil('its processes to end', () => pids.every(isGone) || undefined);
  const again = await Farm.start('haproxy', farm.folder);
  assert.ok((await fetchHead(again.url)) >= head);
  const second = await startFarm(['--data-dir', farm.folder]).finished;
  assert.equal(second.code, 1);
  assert.match(second.stderr, /writer (?:does not start|has ended \(code 2\)): .*writer\.log says\n(?:.*\n)*.*in use/);
  // HAProxy leaves out followers that answered its check too late, as they may while another program starts.
  await waitUntil('the farm to answer', async () => {
    try {
      return (await fetchHead(again.url)) >= head || undefined;
    } catch (error) {
      if (error instanceof SyntaxError) return undefined;
      throw error;
    }
  });
});
