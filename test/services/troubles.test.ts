import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus } from 'node:os';
import { after, describe, test, type TestContext } from 'node:test';
import { encodeWif } from '../../src/crypto/wif.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devGenesisText, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { sentences } from '../../src/witness/obstacles.ts';
import { freePort } from '../outside/free_port.ts';
import { inStep, peerPort } from '../outside/network_nodes.ts';
import type { Machine } from '../outside/program.ts';
import { Site } from '../outside/site.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { HostilePeer, inventedId, newIdentity, openDoor, varied } from '../p2p/hostile_peer.ts';
import { AnswerPage, type Troubled } from './answer_page.ts';

// The guides that answer what an operator asks at night, each on a node with that trouble.

const site = new Site();
const genesisFile = site.path('genesis.json');
const WITNESS = 'initminer';
const PRODUCING = [
  '--witness',
  WITNESS,
  '--enable-stale-production',
  '--required-participation',
  '0',
  '--accept-low-participation',
];
/** A second or more of work for who fetches them. */
const [TURNS, BLOCKS_OF_A_TURN, PRODUCES_MS] = [80, 100, 10_000];
const FIRST_ROUND = [30, 60];
const OWN_KEY = ['--private-key', encodeWif(devSecret(WITNESS))];

after(() => site.clear());

/** A chain with a block a second, on which ten slots pass sooner. */
const genesis: object = JSON.parse(devGenesisText(profileNamed('default'), Math.trunc(Date.now() / 1000) - 60));
writeFileSync(genesisFile, JSON.stringify({ ...genesis, block_interval: 1 }));

async function startNode(folder: string, flags: readonly string[], machine?: Machine): Promise<Troubled> {
  const metricsPort = await freePort();
  const program = site.start(
    [
      ...[
        'run',
        '--genesis-json',
        genesisFile,
        '--data-dir',
        site.path(folder),
        '--webserver-http-endpoint',
        '127.0.0.1:0',
      ],
      ...['--metrics-endpoint', `127.0.0.1:${metricsPort}`, ...flags],
    ],
    {},
    machine,
  );
  await program.ready();
  return { site, program, metricsPort };
}

/** Posts a body from an address of loopback again and again until the test is over. */
function flood(
  t: TestContext,
  { program }: Troubled,
  from: string,
  bodyOf: (turn: number) => string,
  links: number,
): void {
  const agent = new Agent({ keepAlive: true, maxSockets: links });
  let isOver = false;
  let turn = 0;
  const post = (): void => {
    if (isOver) return;
    const sent = request({ host: '127.0.0.1', port: program.port, method: 'POST', agent, localAddress: from });
    sent.on('response', (answer) => answer.resume().on('end', post));
    sent.on('error', () => setTimeout(post, 50));
    sent.end(bodyOf(turn++));
  };
  for (let link = 0; link < links; link++) post();
  t.after(() => {
    isOver = true;
    agent.destroy();
  });
}

const makeCall = (id: number, method: string, params: object): object => ({ jsonrpc: '2.0', id, method, params });

// Each waits for a look that comes each ten seconds.
void describe('a node in trouble', { concurrency: true }, () => {
  void test('a node whose clients ask for much says which calls and whose', async (t) => {
    const node = await startNode('slow', [...PRODUCING, ...OWN_KEY]);
    const page = new AnswerPage('slow');
    await page.assertSilent('Ask it', node);
    // None of them is known: each asks for other accounts.
    const many = (turn: number): string =>
      JSON.stringify(
        Array.from({ length: 50 }, (_, id) =>
          makeCall(id, 'alexandria_api.get_accounts', {
            account_names: Array.from({ length: 150 }, (_none, k) => `x${turn}y${id}z${k % 10}`),
          }),
        ),
      );
    flood(t, node, '127.0.6.1', many, 4);
    await page.assertAnswersRight('Ask it', node);
  });

  void test('a node beside programs that take the processors says so', async (t) => {
    const node = await startNode('hogged', [...PRODUCING, ...OWN_KEY]);
    const hogs: ChildProcess[] = cpus().flatMap(() =>
      [0, 1].map(() => spawn('nice', [process.execPath, '-e', 'for(;;);'])),
    );
    t.after(() => hogs.forEach((hog) => hog.kill('SIGKILL')));
    await new AnswerPage('slow').assertAnswersRight('Other programs', node);
  });

  void test('a node whose seeds contradict each other says so, and what to do', async (t) => {
    const p2p = ['--p2p-endpoint', '127.0.0.1:0'];
    const source = await startNode('contested source', [...PRODUCING, ...OWN_KEY, ...p2p]);
    const seed = ['--p2p-seed-node', `127.0.0.1:${peerPort(source.program)}`];
    // A block is irreversible a round later.
    for (const number of FIRST_ROUND)
      await waitUntil(`block ${number}`, async () => (await source.program.health()).number >= number || undefined);
    const begun = await startNode('newcomer', [...p2p, ...seed]);
    await inStep(begun.program, 1);
    await begun.program.stop();
    const door = await openDoor('127.0.0.2', newIdentity(), (parts) => {
      return new HostilePeer(parts, (seen) => ({ claimed: varied(seen, { finalId: inventedId(seen.final) }) }));
    });
    t.after(() => door.close());
    const newcomer = await startNode('newcomer', [...p2p, ...seed, '--p2p-seed-node', `127.0.0.2:${door.port}`]);
    await new AnswerPage('behind').assertAnswersRight('It is contested', newcomer);
  });

  void test('a node behind says whether it has no peers, peers with nothing later, or blocks to fetch', async () => {
    const p2p = ['--p2p-endpoint', '127.0.0.1:0'];
    const linked = ({ program }: Troubled): string[] => [...p2p, '--p2p-seed-node', `127.0.0.1:${peerPort(program)}`];
    const source = await startNode('source', [...PRODUCING, ...OWN_KEY, ...p2p]);
    const other = await startNode('other', linked(source));
    const single = await startNode('single', linked(source));
    const follower = await startNode('follower', [...linked(source), ...linked(other).slice(p2p.length)]);
    const page = new AnswerPage('behind');
    await inStep(follower.program, 2);
    await page.assertSilent('No peers', follower);
    await page.assertSilent('Peers of one hand', follower);
    // Its peer makes no more blocks, and then is gone.
    await site.run(['witness', 'pause', '--url', `http://127.0.0.1:${source.program.port}`]);
    await page.assertAnswersRight('Peers that have nothing later', follower);
    await page.assertAnswersRight('Peers of one hand', single);
    source.program.kill();
    other.program.kill();
    await page.assertAnswersRight('No peers', follower);
  });

  void test('a node that fetches blocks says how many it lacks', async () => {
    const source = site.start([
      'dev',
      '--data-dir',
      site.path('made'),
      '--port',
      '0',
      '--no-mining',
      '--p2p-endpoint',
      '127.0.0.1:0',
    ]);
    await source.ready();
    // As many as a machine that is busy makes by then: it fetches them as slowly.
    const untilMs = performance.now() + PRODUCES_MS;
    for (let turn = 0; turn < TURNS && performance.now() < untilMs; turn++)
      await source.call('debug_api.produce_blocks', { count: BLOCKS_OF_A_TURN });
    const metricsPort = await freePort();
    const joining = ['dev', '--join', `127.0.0.1:${peerPort(source)}`, '--data-dir', site.path('late'), '--port', '0'];
    const program = site.start([...joining, '--metrics-port', String(metricsPort)]);
    await program.ready();
    await new AnswerPage('behind').assertAnswersRight('It catches up', { site, program, metricsPort });
  });

  void test('a witness that misses slots says why, and the guide has a line for each reason', async () => {
    const page = new AnswerPage('missed_slots');
    const reasons = [...page.text.matchAll(/^\| `(\w+)` \|/gm)].map(([, reason]) => reason ?? '');
    assert.deepEqual(reasons.toSorted(), [...Object.keys(sentences), 'stood_still'].toSorted());
    const wrong = ['--private-key', encodeWif(devSecret('somebody'))];
    await page.assertAnswersRight('Ask it', await startNode('keyless', [...PRODUCING, ...wrong]));
  });

  void test('a witness that is paused is told by that word', async () => {
    const paused = await startNode('paused', [...PRODUCING, ...OWN_KEY]);
    await site.run(['witness', 'pause', '--url', `http://127.0.0.1:${paused.program.port}`]);
    await waitUntil('the reason', () =>
      /has missed its slot of [^"]*: paused/.test(paused.program.stderr) ? true : undefined,
    );
  });

  void test('a node on a small disk says how much is left', async () => {
    const page = new AnswerPage('disk_full');
    const folder = site.path('small');
    mkdirSync(folder);
    // In a mount namespace of its own, which ends with the node.
    const mounted = 'mount -t tmpfs -o size=300m none "$0" && exec "$@"';
    const machine = { command: ['unshare', '--mount', 'sh', '-c', mounted, folder], host: '127.0.0.1' };
    await page.assertAnswersRight('Ask it', await startNode('small', [...PRODUCING, ...OWN_KEY], machine));
  });

  void test('a node that one address floods names it, and not who asks for little', async (t) => {
    const node = await startNode('hammered', [...PRODUCING, ...OWN_KEY, '--max-calls-per-second', '50']);
    const page = new AnswerPage('hammered');
    await page.assertSilent('Ask it', node);
    const one = (turn: number): string => JSON.stringify(makeCall(turn, 'alexandria_api.info', {}));
    flood(t, node, '127.0.6.6', one, 8);
    await page.assertAnswersRight('Ask it', node);
    assert.doesNotMatch(node.program.stderr, /asked for in the last minute by 127\.0\.0\.1/);
  });
});
