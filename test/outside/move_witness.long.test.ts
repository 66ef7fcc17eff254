import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { copyJournals } from '../builders/stopped_chain.ts';
import { testWif, witnessChain, type WitnessChain } from '../builders/witness_chain.ts';
import { numberMember, optionalMember, textMember, type Json } from './json.ts';
import { nodeId, peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// The guide that moves a witness to another machine, typed as it stands there while other witnesses make blocks.

const page = readFileSync(fileURLToPath(new URL('../../../src/pages/guides/move_witness.md', import.meta.url)), 'utf8');
const WITNESS = 'initminer';
const sites: Site[] = [];

after(async () => {
  for (const site of sites) await site.clear();
});

/** The commands below a heading, each with the witness of these tests. */
function guideLines(heading: string): string[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  const lines = [...section.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, block = '']) => block.trim().split('\n'));
  return lines.map((line) => line.replaceAll('alice', WITNESS));
}

/** Both machines of a witness, in one folder, and the node of all other witnesses. */
class Move {
  readonly site: Site;
  readonly hub: Program;
  readonly old: Program;

  private constructor(site: Site, hub: Program, old: Program) {
    this.site = site;
    this.hub = hub;
    this.old = old;
  }

  static async begin(finality: boolean): Promise<Move> {
    const site = new Site();
    sites.push(site);
    const chain = await witnessChain(site.path('origin'), 4, 0, { intervalSeconds: 3, finality });
    const others = chain.witnesses.filter(({ name }) => name !== WITNESS);
    mkdirSync(site.path('data'));
    for (const end of ['.signed', ...(finality ? ['.signed.votes'] : [])])
      copyFileSync(`${chain.dataFolder}${end}`, site.path(`data/hub${end}`));
    const keys = others.flatMap(({ name, wif }) => [`witness = ${name}`, `private-key = ${wif}`]);
    const hub = await startProgram(site, ['run', '--config', writeSettings(site, chain, 'hub', [], keys)]);
    copyJournals(chain.dataFolder, WITNESS, site.path('data/node.signed'));
    writeFileSync(site.path('signing.key'), testWif(WITNESS), { mode: 0o600 });
    writeFileSync(site.path('wallet.json'), testWif(WITNESS), { mode: 0o600 });
    const settings = writeSettings(site, chain, 'node', [hub]);
    const own = ['--witness', WITNESS, '--private-key-file', 'signing.key'];
    const old = await startProgram(site, ['run', '--config', settings, ...own]);
    writeSettings(site, chain, 'new', [hub, old]);
    return new Move(site, hub, old);
  }

  /** Types a line of the guide; `pharos` acts on the node of the other witnesses where it needs one. */
  async type(line: string, program = this.hub): Promise<string> {
    const [command, ...words] = line.split(' ');
    if (command !== 'pharos') {
      const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: this.site.folder, encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      return '';
    }
    const url = words[0] === 'witness' ? ['--url', `http://127.0.0.1:${program.port}`] : [];
    const { code, stdout, stderr } = await this.site.run([...words, ...url]);
    assert.equal(code, 0, stderr);
    return stdout;
  }

  async start(line: string): Promise<Program> {
    const [command, ...words] = line.split(' ');
    assert.equal(command, 'pharos');
    return await startProgram(this.site, words);
  }

  async countMissed(): Promise<number> {
    return numberMember(await this.#witness(), 'witness.total_missed');
  }

  async signingKey(): Promise<string> {
    return textMember(await this.#witness(), 'witness.signing_key');
  }

  /** Waits until the witness has made so many more blocks. */
  async makesBlocks(count: number): Promise<void> {
    const last = async (): Promise<number> =>
      Number(optionalMember(await this.#witness(), 'witness.last_confirmed_block_num'));
    for (let block = 0; block < count; block++) {
      const made = await last();
      await waitUntil('a block of the witness', async () => (await last()) > made || undefined);
    }
  }

  /** The slots in a journal. */
  signedSlots(path: string): number[] {
    const lines = readFileSync(this.site.path(path), 'utf8').split('\n');
    // The last line may be on its way to the disk.
    return lines.slice(0, -1).map((line) => {
      const entry: Json = JSON.parse(line);
      return numberMember(entry, 'slot');
    });
  }

  async #witness(): Promise<Json> {
    return await this.hub.result('alexandria_api.get_witness', { owner_account: WITNESS });
  }
}

async function startProgram(site: Site, args: readonly string[]): Promise<Program> {
  const program = site.start(args);
  await program.ready();
  return program;
}

/** Settings of a machine that has a copy of the chain. */
function writeSettings(
  site: Site,
  chain: WitnessChain,
  name: string,
  peers: readonly Program[],
  more: readonly string[] = [],
): string {
  cpSync(chain.dataFolder, site.path('data', name), { recursive: true });
  const seeds = peers.map((peer) => `p2p-seed-node = ${nodeId(peer)}@127.0.0.1:${peerPort(peer)}`);
  const lines = [
    ...[`genesis-json = ${chain.genesisFile}`, `data-dir = data/${name}`, 'webserver-http-endpoint = 127.0.0.1:0'],
    ...['p2p-endpoint = 127.0.0.1:0', 'enable-stale-production = true', 'required-participation = 0'],
    ...[...seeds, ...more, ''],
  ];
  writeFileSync(site.path(`${name}.ini`), lines.join('\n'), { mode: 0o600 });
  return `${name}.ini`;
}

async function ready(program: Program): Promise<void> {
  await waitUntil(
    'a node that is ready',
    async () => (await program.http('GET', '/readyz', {})).status === 200 || undefined,
  );
}

function assertNoneTwice(slots: readonly number[]): void {
  assert.ok(slots.length > 3);
  assert.equal(new Set(slots).size, slots.length, slots.join(' '));
}

for (const finality of [false, true])
  test(`a witness moves with a new key and misses no slot, ${finality ? 'with' : 'without'} votes`, async () => {
    const [key = '', run = '', rotate = '', status = '', ...more] = guideLines('With a new key');
    assert.deepEqual(more, []);
    const move = await Move.begin(finality);
    await move.makesBlocks(2);
    const missed = await move.countMissed();
    await move.type(key);
    const program = await move.start(run);
    await ready(program);
    const former = await move.signingKey();
    assert.ok((await move.type(status, move.old)).includes(former));
    // Typed on the new machine, which has the key: elsewhere the command would make another one.
    await move.type(rotate, program);
    await move.makesBlocks(3);
    await waitUntil(
      'the old machine to fall silent',
      () => move.old.stderr.includes('its signing key was replaced') || undefined,
    );
    const said = await move.type(status, program);
    assert.match(said, /^this node +makes its blocks$/m);
    if (finality)
      await waitUntil(
        'the old machine to name its key no more',
        async () => !(await move.type(status, move.old)).includes(former) || undefined,
      );
    assert.equal(await move.old.stop(), 0);
    await move.makesBlocks(3);
    const reasons = [move.old, program].flatMap(({ stderr }) => stderr.match(/has missed its slot.*/g) ?? []);
    assert.equal(await move.countMissed(), missed, reasons.join('\n'));
    assertNoneTwice([...move.signedSlots('data/node.signed'), ...move.signedSlots('data/new.signed')]);
    for (const each of [program, move.hub]) assert.equal(await each.stop(), 0);
  });

test('a witness moves with its key and its journal: the new machine goes on at once and signs no slot twice', async () => {
  const lines = guideLines('With the same key');
  const run = lines.pop() ?? '';
  const move = await Move.begin(true);
  await move.makesBlocks(2);
  assert.equal(await move.old.stop(), 0);
  const before = move.signedSlots('data/node.signed');
  for (const line of lines) await move.type(line);
  for (const gone of ['data/node.signed', 'data/node.signed.votes', 'signing.key'])
    assert.ok(!existsSync(move.site.path(gone)), gone);
  assert.ok(existsSync(move.site.path('moving/node.signed.votes')));
  const again = move.site.start([
    'run',
    '--config',
    'node.ini',
    '--witness',
    WITNESS,
    '--private-key-file',
    'signing.key',
  ]);
  assert.equal(await again.exited, 2, 'the old machine has no key');
  const program = await move.start(run);
  await move.makesBlocks(3);
  assert.doesNotMatch(program.stderr, /another machine may have the key/);
  const slots = move.signedSlots('moving/node.signed');
  assert.deepEqual(slots.slice(0, before.length), before);
  assertNoneTwice(slots);
  for (const each of [program, move.hub]) assert.equal(await each.stop(), 0);
});
