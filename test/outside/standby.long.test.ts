import assert from 'node:assert/strict';
import { copyFileSync, cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test, type TestContext } from 'node:test';
import { journalPath } from '../builders/stopped_chain.ts';
import { testWif, witnessChain, type WitnessChain } from '../builders/witness_chain.ts';
import { at, numberMember, textMember, type Json } from './json.ts';
import { nodeId, peerPort } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';
import { guideNamed } from '../pages/guides/guide.ts';

const site = new Site();
const DOUBLED = 'initminer';

after(() => site.clear());

interface Machine {
  readonly folder: string;
  /** Witnesses whose blocks it has made until now. */
  readonly signed?: readonly string[];
  readonly flags: readonly string[];
}

/** A machine with a copy of the chain, and what a journal of its keys says. */
async function begin(chain: WitnessChain, { folder, signed = [], flags }: Machine): Promise<Program> {
  const data = site.path(folder);
  if (!existsSync(data)) cpSync(chain.dataFolder, data, { recursive: true });
  const [first] = signed;
  if (first !== undefined)
    copyFileSync(
      signed.length > 1 ? `${chain.dataFolder}.signed` : journalPath(chain.dataFolder, first),
      `${data}.signed`,
    );
  const program = site.start([
    ...['run', '--genesis-json', chain.genesisFile, '--data-dir', data, '--webserver-http-endpoint', '127.0.0.1:0'],
    ...['--p2p-endpoint', '127.0.0.1:0', '--enable-stale-production', '--required-participation', '0', ...flags],
  ]);
  await program.ready();
  return program;
}

function peerFlags(program: Program): string[] {
  return ['--p2p-seed-node', `${nodeId(program)}@127.0.0.1:${peerPort(program)}`];
}

/** The slots that a machine has signed, and with which key. */
function readSigned(folder: string): { readonly key: string; readonly slot: number }[] {
  const path = `${site.path(folder)}.signed`;
  if (!existsSync(path)) return [];
  // The last line may be on its way to the disk.
  const [, ...lines] = readFileSync(path, 'utf8').split('\n').toReversed();
  return lines.toReversed().map((line) => {
    const said: Json = JSON.parse(line);
    return { key: textMember(said, 'key'), slot: numberMember(said, 'slot') };
  });
}

/** The words behind `pharos` of the guide's line that begins so, for this witness and this site's files. */
function guideWords(beginning: string, own: Readonly<Record<string, string>> = {}): string[] {
  const line = guideNamed('standby').commands.find((command) => command.startsWith(`pharos ${beginning}`));
  const [, ...words] = (line ?? assert.fail(beginning)).split(' ');
  return words.map((word) => own[word] ?? (word === 'alice' ? DOUBLED : word));
}

async function newKey(file: string): Promise<string> {
  const { stdout } = await site.run(guideWords('keys', { [file]: site.path(file) }));
  return textMember(JSON.parse(stdout), 'pub_key');
}

async function fetchStatus(program: Program): Promise<string> {
  return (await site.run(['witness', 'status', DOUBLED, '--url', `http://127.0.0.1:${program.port}`])).stdout;
}

async function untilReady(standby: Program): Promise<void> {
  await waitUntil('a standby that is ready', async () => {
    const said: Json = await standby.result('witness_node_api.get_production');
    return textMember(at(said, 'standing_by'), '0.obstacle') === '' || undefined;
  });
}

async function keyOnChain(program: Program): Promise<string> {
  return textMember(
    await program.result('alexandria_api.get_witness', { owner_account: DOUBLED }),
    'witness.signing_key',
  );
}

async function signs(folder: string, above: number): Promise<void> {
  await waitUntil(`blocks of ${folder}`, () => readSigned(folder).length > above || undefined);
}

/** Reports the slots between the last block of the one machine and the first of the other. */
function tell(context: TestContext): void {
  const [last, first] = [readSigned('active').at(-1)?.slot ?? 0, readSigned('standby')[0]?.slot ?? 0];
  context.diagnostic(
    `${first - last} slots of the chain from the last block of the active node to the first of the standby`,
  );
}

test('a standby takes over from a frozen machine, which is silent when it wakes, and a switch by hand takes a new key', async (context) => {
  const chain = await witnessChain(site.path('origin'), 3);
  const others = chain.witnesses.filter(({ name }) => name !== DOUBLED);
  const hub = await begin(chain, {
    folder: 'hub',
    signed: others.map(({ name }) => name),
    flags: others.flatMap(({ name, wif }) => ['--witness', name, '--private-key', wif]),
  });
  const key = await newKey('standby.key');
  const [, seed = ''] = peerFlags(hub);
  const own = { 'standby.key': site.path('standby.key'), 'ID@HOST:PORT': seed };
  // The settings of the guide's node.ini are those of `begin`.
  const [, , , ...standbyFlags] = guideWords('run --config node.ini', own);
  const standby = await begin(chain, { folder: 'standby', flags: standbyFlags });
  assert.match(await fetchStatus(standby), /standby +for initminer since [^,]+, not ready: .*has given it no switch/);
  const active = await begin(chain, {
    ...{ folder: 'active', signed: [DOUBLED] },
    flags: [
      ...['--witness', DOUBLED, '--private-key', testWif(DOUBLED), '--standby-node', `${key}@${nodeId(standby)}`],
      ...[...peerFlags(hub), ...peerFlags(standby)],
    ],
  });
  await untilReady(standby);
  assert.match(
    await fetchStatus(standby),
    /standby +for initminer since [^,]+, ready; switch \d+ minutes old, good until 20/,
  );
  await waitUntil('that the active node knows its standby in step', async () => {
    const said: Json = await active.result('witness_node_api.get_production');
    return JSON.stringify(at(said, 'standbys')).includes('"in_step":true') || undefined;
  });
  let status = '';
  await waitUntil(
    () => `a status with the standby:\n${status}`,
    async () => {
      status = await fetchStatus(active);
      return /standby +[0-9a-f]{12}…, connected, switch \d+ minutes old/.test(status) || undefined;
    },
  );
  await signs('active', 1);

  active.freeze();
  await waitUntil('the new key', async () => (await keyOnChain(hub)) === key || undefined);
  await signs('standby', 1);
  active.thaw();
  await waitUntil(
    'that the first one knows',
    () => active.stderr.includes('its signing key was replaced') || undefined,
  );
  const { length } = readSigned('standby');
  await signs('standby', length + 1);
  const [ours, theirs] = [readSigned('active'), readSigned('standby')];
  const all = [...ours, ...theirs].map(({ key: signer, slot }) => `${signer} ${slot}`);
  assert.equal(all.length - new Set(all).size, 0, 'double blocks');
  const first = theirs[0]?.slot ?? 0;
  assert.deepEqual(
    ours.filter(({ slot }) => slot >= first),
    [],
    'it has signed nothing since',
  );
  tell(context);
  assert.match(await fetchStatus(standby), /standby +has taken over from initminer/);

  // Back again, with a key that nobody has used.
  writeFileSync(site.path('wallet.json'), testWif(DOUBLED), { mode: 0o600 });
  const url = ['--url', `http://127.0.0.1:${hub.port}`, '--wallet-file', site.path('wallet.json'), '--yes'];
  const used = await site.run(['witness', 'switch', DOUBLED, '--key-file', site.path('standby.key'), ...url]);
  assert.deepEqual([used.code, /a switch takes a new key/.test(used.stderr)], [2, true], used.stderr);
  const { code, stdout } = await site.run([
    ...guideWords('witness switch', { 'new.key': site.path('again.key') }),
    ...url,
  ]);
  assert.deepEqual([code, /in block \d+[^]*private-key-file = .*again\.key/.test(stdout)], [0, true], stdout);
  assert.equal(await active.stop(), 0);
  const before = readSigned('active').length;
  const again = await begin(chain, {
    folder: 'active',
    flags: [
      '--witness',
      DOUBLED,
      '--private-key-file',
      site.path('again.key'),
      ...peerFlags(hub),
      ...peerFlags(standby),
    ],
  });
  await signs('active', before + 1);
  await waitUntil(
    'that the standby is none any more',
    () => standby.stderr.includes('a replaced key is never used again') || undefined,
  );
  for (const program of [again, standby, hub]) assert.equal(await program.stop(), 0);
  assert.ok(readFileSync(`${site.path('standby')}.standby`, 'utf8').includes('"packed"'));
});
