import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { numberMember, type Json } from './json.ts';
import type { Program } from './program.ts';
import { Site, type Finished } from './site.ts';
import { waitUntil } from './wait_until.ts';

const site = new Site();

after(() => site.clear());

interface Killed {
  readonly finished: Finished;
  readonly json: Json;
}

/** Loads a chain, kills its node at the right moment and starts it again, and lets the load end. */
async function killed(
  name: string,
  blockMs: number,
  mix: unknown,
  isTime: (program: Program) => Promise<boolean>,
): Promise<Killed> {
  const [data, file, mixFile] = ['', '.json', '_mix.json'].map((end) => site.path(`${name}${end}`));
  assert.ok(data !== undefined && file !== undefined && mixFile !== undefined);
  writeFileSync(mixFile, JSON.stringify({ forms: [mix] }));
  const flags = ['dev', '--data-dir', data, '--block-interval-ms', String(blockMs)];
  const program = site.start([...flags, '--port', '0', '--metrics-port', '0']);
  await program.ready();
  const args = [
    '--url',
    `http://127.0.0.1:${program.port}`,
    '--threads',
    '1',
    '--until',
    'block',
    '--lifetime',
    '3000',
  ];
  const running = site.run(['load', ...args, '--json', file, '--mix', mixFile, '--rate', '40', '--duration', '8s']);
  await waitUntil('the moment', async () => ((await isTime(program)) ? true : undefined));
  program.kill();
  await program.exited;
  const again = site.start([...flags, '--port', String(program.port)]);
  await again.ready();
  const finished = await running;
  assert.ok(readFileSync(file, 'utf8') !== '', finished.stdout + finished.stderr);
  again.kill();
  return { finished, json: JSON.parse(readFileSync(file, 'utf8')) };
}

/** A figure of the node. */
async function readFigure(program: Program, name: string): Promise<number> {
  const url =
    /metrics +(\S+)/.exec(program.stdout)?.[1] ?? assert.fail('the program has printed where its figures are');
  const line = (await (await fetch(url)).text()).split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length) ?? 0);
}

const inBlocks = (json: Json): number =>
  numberMember(json, 'audit.irreversible') + numberMember(json, 'audit.reversible');

const isUnderWay = async (program: Program): Promise<boolean> =>
  (await readFigure(program, 'pharos_broadcasts_total{outcome="accepted"}')) > 40;

test('what a node has answered as in a block is found once after a kill and a start', async () => {
  const { finished, json } = await killed('synchronous', 200, { wait_for: 'block' }, isUnderWay);
  assert.equal(finished.code, 0, finished.stdout);
  assert.match(finished.stdout, /^refused {6}\d+ × connection: /m);
  const acknowledged = numberMember(json, 'audit.acknowledged');
  assert.ok(acknowledged > 0 && acknowledged < 320, finished.stdout);
  assert.equal(inBlocks(json), acknowledged);
  assert.match(finished.stdout, /^verdict {6}kept: each is in a block, once$/m);
});

test('what a node had only accepted when it was killed is told apart, and is no broken promise', async () => {
  const { finished, json } = await killed(
    'accepted',
    2000,
    { bytes: 20 },
    async (program) => (await readFigure(program, 'pharos_pending_transactions')) > 20,
  );
  assert.equal(finished.code, 0, finished.stdout);
  const forgotten = numberMember(json, 'audit.forgotten');
  assert.ok(forgotten > 20, finished.stdout);
  assert.equal(inBlocks(json) + forgotten, numberMember(json, 'audit.acknowledged'));
  assert.ok(inBlocks(json) > 0, 'the load went on after the start');
  assert.match(
    finished.stdout,
    new RegExp(`^verdict {6}kept, but ${forgotten} were acknowledged as accepted only`, 'm'),
  );
  assert.match(finished.stdout, /^look at {6}[0-9a-f]{40} forgotten$/m);
});
