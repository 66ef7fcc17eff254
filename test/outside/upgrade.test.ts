import assert from 'node:assert/strict';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { setFormat } from '../builders/other_format.ts';
import { journalPath } from '../builders/stopped_chain.ts';
import { testWif, witnessChain, type WitnessChain } from '../builders/witness_chain.ts';
import { inLongForm } from '../builders/forms.ts';
import { optionalMember, textMember, type Json } from './json.ts';
import { nodeId, peerPort } from './network_nodes.ts';
import type { Machine, Program } from './program.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil, within } from './wait_until.ts';

// The guide for upgrades, typed as it stands there, with a next version that is this one under another number.

const site = new Site();
const project = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(`${project}src/pages/guides/upgrade.md`, 'utf8');
const WITNESS = 'initminer';
const NEXT_VERSION = '99.0.0';
let chain: WitnessChain;

/** Starts the next version where a command line names this one. */
const next: Machine = { command: ['sh', '-c', 'node=$0; shift; exec "$node" "$NEXT" "$@"'], host: '127.0.0.1' };
const environment = { NEXT: site.path('next', 'build/program/node/cli.js') };

before(async () => {
  const folder = site.path('next');
  mkdirSync(`${folder}/build`, { recursive: true });
  cpSync(`${project}build/program`, `${folder}/build/program`, { recursive: true });
  const same = [
    'node_modules',
    ...readdirSync(`${project}build`).flatMap((name) => (name === 'program' ? [] : [`build/${name}`])),
  ];
  for (const name of same) symlinkSync(`${project}${name}`, `${folder}/${name}`);
  const manifest: Json = JSON.parse(readFileSync(`${project}package.json`, 'utf8'));
  writeFileSync(`${folder}/package.json`, JSON.stringify({ ...Object(manifest), version: NEXT_VERSION }));
  chain = await witnessChain(site.path('origin'), 3);
  writeFileSync(site.path('wallet.json'), testWif(WITNESS), { mode: 0o600 });
});

after(() => site.clear());

/**
 * The commands below a heading of the page, each as the words after `pharos`, for this chain's witness and this site's
 * files.
 */
function guideCommands(heading: string): string[][] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  const lines = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  return lines.map((line) => {
    const [program, ...words] = line.split(' ');
    assert.equal(program, 'pharos', line);
    return words.map((word) =>
      word === 'alice' ? WITNESS : /\.(?:key|json|ini|avro|signed)$|^data\//.test(word) ? site.path(word) : word,
    );
  });
}

/** A settings file of a machine with a copy of the chain, linked to those named. */
function machine(
  name: string,
  signed: readonly string[],
  peers: readonly Program[],
  more: readonly string[] = [],
): string {
  const data = site.path('data', name);
  cpSync(chain.dataFolder, data, { recursive: true });
  const [first] = signed;
  if (first !== undefined)
    copyFileSync(
      signed.length > 1 ? `${chain.dataFolder}.signed` : journalPath(chain.dataFolder, first),
      `${data}.signed`,
    );
  const file = site.path(`${name}.ini`);
  const seeds = peers.map((peer) => `p2p-seed-node = ${nodeId(peer)}@127.0.0.1:${peerPort(peer)}`);
  const production = ['enable-stale-production = true', 'required-participation = 0'];
  const lines = [
    `genesis-json = ${chain.genesisFile}`,
    `data-dir = ${data}`,
    'webserver-http-endpoint = 127.0.0.1:0',
    'p2p-endpoint = 127.0.0.1:0',
  ];
  writeFileSync(file, [...lines, ...seeds, ...production, ...more, ''].join('\n'));
  return file;
}

async function start(args: readonly string[], isNext: boolean): Promise<Program> {
  const program = isNext ? site.start(args, environment, next) : site.start(args);
  await program.ready();
  return program;
}

async function runNext(args: readonly string[]): Promise<Finished> {
  const program = site.start(args, environment, next);
  const code = await within(`the end of pharos ${args.join(' ')}`, program.exited);
  return { code, stdout: program.stdout, stderr: program.stderr };
}

async function done(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runNext(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function chainWitness(program: Program): Promise<Json> {
  return await program.result('alexandria_api.get_witness', { owner_account: WITNESS });
}

async function countMissed(program: Program): Promise<number> {
  return Number(optionalMember(await chainWitness(program), 'witness.total_missed'));
}

async function ready(program: Program): Promise<void> {
  await waitUntil('a node that is ready', async () =>
    (await program.http('GET', '/readyz', {})).status === 200 ? true : undefined,
  );
}

/** Waits until the witness has made so many more blocks, with the key that the chain has now. */
async function makesBlocks(program: Program, count: number): Promise<void> {
  const lastBlock = async (): Promise<number> =>
    Number(optionalMember(await chainWitness(program), 'witness.last_confirmed_block_num'));
  for (let block = 0; block < count; block++) {
    const made = await lastBlock();
    await waitUntil('a block of the witness', async () => ((await lastBlock()) > made ? true : undefined));
  }
}

test(
  'a witness goes over to the next version by way of a second machine, and no slot is missed',
  inLongForm,
  async () => {
    const others = chain.witnesses.filter(({ name }) => name !== WITNESS);
    const more = others.flatMap(({ name, wif }) => [`witness = ${name}`, `private-key = ${wif}`]);
    const hub = await start(
      [
        'run',
        '--config',
        machine(
          'hub',
          others.map(({ name }) => name),
          [],
          more,
        ),
      ],
      false,
    );
    machine('node', [WITNESS], [hub]);
    machine('second', [], [hub]);
    const node = site.path('node.ini');
    const first = await start(
      ['run', '--config', node, '--witness', WITNESS, '--private-key', testWif(WITNESS)],
      false,
    );
    await makesBlocks(hub, 2);
    const missed = await countMissed(hub);
    const url = ['--url', `http://127.0.0.1:${hub.port}`];

    const [, ...steps] = [[], ...guideCommands('A witness, without missing a slot')];
    const [key = [], run = [], rotate = [], thirdKey = [], thirdRun = [], thirdRotate = [], ...rest] = steps;
    assert.deepEqual(rest, []);
    await done(key);
    const second = await start(run, true);
    await ready(second);
    await done([...rotate, ...url]);
    await makesBlocks(hub, 3);
    assert.ok(first.stderr.includes('its signing key was replaced'), first.stderr);
    assert.equal(await first.stop(), 0);

    await done(thirdKey);
    const again = await start(thirdRun, true);
    assert.equal(textMember(await again.result('alexandria_api.about'), 'about.client_version'), NEXT_VERSION);
    await ready(again);
    await done([...thirdRotate, ...url]);
    await makesBlocks(hub, 3);
    assert.equal(await countMissed(hub), missed, 'no slot was missed by any of it');
    for (const program of [again, second, hub]) assert.equal(await program.stop(), 0);
  },
);

test('a node goes on with the next version where it was, doctor tells the two apart, and so is the way back', async () => {
  const file = machine('node2', [], []);
  const former = await start(['run', '--config', file], false);
  const { number, stateHash } = await former.health();
  const [[...ask] = []] = guideCommands('Before');
  assert.deepEqual(ask, ['doctor', '--config', site.path('node.ini')]);
  const { stdout } = await runNext(['doctor', '--config', file, '--url', `http://127.0.0.1:${former.port}`, '--json']);
  assert.match(stdout, /the node that runs is of version \d+\.\d+\.\d+[^]*guide \\"Upgrade\\"/);
  assert.equal(await former.stop(), 0);
  for (const isNext of [true, false]) {
    const node = await start(['run', '--config', file], isNext);
    assert.deepEqual(await node.health(), { number, stateHash });
    assert.equal(await node.stop(), 0);
  }
});

test(
  'a folder of an older format is refused with what to do, which works, and one of a newer format, too',
  inLongForm,
  async () => {
    const data = site.path('data/node');
    rmSync(data, { recursive: true, force: true });
    const file = machine('node', [WITNESS], []);
    const said = [...page.matchAll(/^```log\n(.*)\n```$/gm)].map(([, line = '']) => line.split('…'));
    for (const [k, away] of [-1, 1].entries()) {
      setFormat(data, away);
      const { code, stderr } = await runNext(['run', '--config', file]);
      assert.equal(code, 2);
      for (const part of said[k] ?? assert.fail('a line of the page'))
        assert.ok(stderr.includes(part), `${part} in ${stderr}`);
      assert.match(stderr, /nothing was changed/);
    }
    // The former version reads it.
    setFormat(data, 0);
    const [create = [], load = [], run = [], ...rest] = guideCommands('When the format of the data has risen');
    assert.deepEqual(rest, []);
    copyFileSync(chain.genesisFile, site.path('genesis.json'));
    const created = await site.run(create);
    assert.equal(created.code, 0, created.stderr);
    await done(load);
    const node = await start([...run, '--config', file], true);
    assert.ok((await node.health()).number > 0);
    assert.equal(await node.stop(), 0);
  },
);
