import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { guideNamed } from '../pages/guides/guide.ts';
import { pastChain } from '../builders/past_chain.ts';
import { inLongForm, inShortForm } from '../builders/forms.ts';
import { freePort } from './free_port.ts';
import { listMember, textMember, type Json } from './json.ts';
import { agree, inStep, nodeId, peerPort, producing, run } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

/** The longest wait for a block. */
const SLOT_SECONDS = 1;

after(() => site.clear());

/** Returns the output of `pharos peers`. */
async function peers(program: Program, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await site.run(['peers', ...words, '--url', `http://127.0.0.1:${program.port}`]);
  assert.equal(code, 0, stderr);
  return stdout;
}

/** The guide's command that starts a stopped chain again, as words behind `pharos`. */
const restartWords = (guideNamed('stopped_chain').commands[0] ?? '').split(' ').slice(1);

test(
  'the operator sees the peers of a node, adds one, bans one and takes that back; nobody else does',
  inShortForm,
  async () => {
    const past = await pastChain(site.path('past'), 200, undefined, SLOT_SECONDS);
    const metricsPort = await freePort();
    const maker = await run(site, past, 'past/chain', ...producing(past), '--p2p-endpoint', '127.0.0.1:0');
    const second = await run(
      site,
      past,
      'second',
      '--p2p-endpoint',
      '127.0.0.1:0',
      '--metrics-endpoint',
      `127.0.0.1:${metricsPort}`,
    );
    assert.equal(await peers(second), 'no peers\n');

    const endpoint = `127.0.0.1:${peerPort(maker)}`;
    assert.equal(await peers(second, 'add', endpoint), '');
    await agree([maker, second], 200);
    await inStep(second, 1);
    const [titles = '', line = ''] = (await peers(second)).split('\n');
    assert.match(titles, /^ADDRESS +DIALLED +AGENT +HEAD +PING MS +SCORE +IN +OUT +SECONDS +ID$/);
    // Who is slow for a moment, as on a busy machine, may have a score below nothing.
    assert.match(
      line,
      new RegExp(`^${endpoint} +by us +pharos/\\S+ +2\\d\\d +\\d+ +-?\\d+ +\\d+ +\\d+ +\\d+ +${nodeId(maker)}$`),
    );
    assert.match((await peers(maker)).split('\n')[1] ?? '', new RegExp(`^127.0.0.1:\\d+ +by it .*${nodeId(second)}$`));
    const info = await second.result('network_node_api.get_info');
    assert.equal(textMember(info, 'node_id'), nodeId(second));

    const restarted = await site.run([...restartWords, '--yes', '--url', `http://127.0.0.1:${maker.port}`]);
    const [own = '', other = '', until = ''] = restarted.stdout.split('\n');
    assert.match(own, /^this node: head \d+ [0-9a-f]{40} of 20.*, irreversible up to \d+ [0-9a-f]{40}$/);
    assert.match(other, /^peer 127\.0\.0\.1: head \d+, irreversible up to \d+ [0-9a-f]{40}, the same here$/);
    assert.match(until, /required again from block 4\d\d on$/);

    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const figure = (name: string): number =>
      Number(
        metrics
          .split('\n')
          .find((text) => text.startsWith(`${name} `))
          ?.slice(name.length),
      );
    assert.equal(figure('pharos_peers{direction="outbound"}'), 1);
    assert.ok(figure('pharos_peer_bytes_total{lane="3",direction="in"}') > 200 * 100, 'the blocks came');
    assert.ok(figure('pharos_blocks_behind') <= 1, 'the newest may be on its way');
    assert.equal(figure('pharos_peer_offences_total{kind="lie"}'), 0);
    assert.ok(figure('pharos_network_delay_seconds') > 0);

    assert.equal(await peers(maker, 'ban', nodeId(second)), '');
    await waitUntil('the link to be closed', async () =>
      listMember(await second.result('network_node_api.get_connected_peers'), 'peers').length === 0 ? true : undefined,
    );
    assert.equal(await peers(second), 'no peers\n');
    assert.match(await peers(maker, 'bans'), new RegExp(`NODE +SECONDS LEFT\n${nodeId(second)} +3[56]\\d\\d\n`));
    assert.equal(await peers(maker, 'unban', nodeId(second)), '');
    assert.equal(await peers(maker, 'bans'), 'nobody is banned\n');
    await peers(second, 'add', endpoint);
    await inStep(second, 1);

    for (const [words, name] of [
      [['unban', '203.0.113.7'], 'not_banned'],
      [['ban', 'nobody'], 'bad_node'],
      [['add', 'no-port'], 'bad_endpoint'],
    ] as const) {
      const { code, stderr } = await site.run(['peers', ...words, '--url', `http://127.0.0.1:${maker.port}`]);
      assert.equal(code, 5);
      assert.ok(stderr.includes(`(${name})`), stderr);
    }
    const body = '{"jsonrpc":"2.0","id":1,"method":"network_node_api.get_connected_peers"}';
    const refused: Json = JSON.parse((await maker.raw(body, { via: '1.1 a proxy' })).body);
    assert.equal(textMember(refused, 'error.data.name'), 'operator_only');
  },
);

test(
  'a node without a network, and ports beside that of the administration, do not know these methods',
  inLongForm,
  async () => {
    const past = await pastChain(site.path('short'), 20);
    const alone = await run(site, past, 'alone');
    assert.equal((await alone.refusal('network_node_api.get_info', {})).name, 'method_not_found');
    const flags = ['--p2p-endpoint', '127.0.0.1:0', '--admin-endpoint', '127.0.0.1:0'];
    const guarded = await run(site, past, 'guarded', ...flags);
    const [, open = '', admin = ''] = /listening on (\d+), (\d+)/.exec(guarded.stderr) ?? assert.fail(guarded.stderr);
    const command = (port: string): ReturnType<Site['run']> => site.run(['peers', '--url', `http://127.0.0.1:${port}`]);
    assert.equal((await command(open)).code, 5);
    assert.deepEqual(await command(admin).then(({ code, stdout }) => [code, stdout]), [0, 'no peers\n']);
  },
);
