import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeProject } from '../client/packed.ts';
import { lies, stolenInTime, makeWorlds } from '../client/verified/lies.ts';
import { LyingNode, NodesOverHttp } from '../client/verified/lying_node.ts';
import { saidInChromium } from './chromium_program.ts';
import { succeed, temporaryFolder } from './commands.ts';
import { deno } from './nodes.ts';

// Every lie against the package pharos-client, which verifies with other code than the program: in Node, Deno, Chromium.

const folder = makeProject('pharos-client');
const worlds = makeWorlds(Math.trunc(Date.now() / 1000));
const told = lies.filter(({ refused }) => refused !== undefined);
const honest = new LyingNode(worlds);
const nodes = new Map([...told, stolenInTime].map((lie) => [lie.name, new LyingNode(worlds, lie)]));
const server = new NodesOverHttp(new Map([...nodes, ['honest', honest]]));

/** Returns the program's input: the calls to each node. */
function questions(): string {
  const asked = told.map(({ name, transaction }) => {
    const node = nodes.get(name) ?? assert.fail(name);
    const id = transaction === undefined ? null : node.transaction;
    return { name, nodes: [server.url(name)], checkpoint: node.checkpoint, id };
  });
  const { checkpoint, transaction: id } = honest;
  const both = [server.url(stolenInTime.name), server.url('honest')];
  return JSON.stringify([
    ...asked,
    { name: stolenInTime.name, nodes: both, checkpoint, id: null },
    { name: 'honest', nodes: [server.url('honest')], checkpoint, id },
  ]);
}

const program = `
  import { verifiedClient, Refusal, NodesDiffer } from 'pharos-client/verified';
  async function askAll(questions) {
    const said = {};
    for (const { name, nodes, checkpoint, id } of questions) {
      const client = verifiedClient({ checkpoint, nodes });
      try {
        const found = id === null ? await client.head() : await client.transaction(id);
        said[name] = id === null ? 'taken' : found.operations[0][1].amount;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        said[name] = error instanceof NodesDiffer ? error.code + ' ' + error.evidence.length : error.code;
      }
      client.close();
    }
    return JSON.stringify(said);
  }`;

const expected = {
  ...Object.fromEntries(told.map(({ name, refused }) => [name, refused])),
  [stolenInTime.name]: 'nodes_differ 2',
  honest: '2.500000 COIN',
};

before(async () => {
  await server.listen();
  writeFileSync(join(folder, 'lies.js'), `${program}\nconsole.log(await askAll(${questions()}));`);
});
after(() => server.close());

test('Node refuses each lie by its reason', { timeout: 120_000 }, async () => {
  const args = ['--disallow-code-generation-from-strings', 'lies.js'];
  assert.deepEqual(JSON.parse(await succeed(process.execPath, args, { folder })), expected);
});

test('Deno refuses each lie by its reason', { timeout: 240_000 }, async () => {
  const environment = { DENO_DIR: temporaryFolder(), DENO_NO_UPDATE_CHECK: '1' };
  const args = ['run', '--allow-all', '--no-lock', '--cached-only', '--node-modules-dir=manual', 'lies.js'];
  assert.deepEqual(JSON.parse(await succeed(deno(), args, { folder, environment })), expected);
});

test('Chromium refuses each lie by its reason', { timeout: 240_000 }, async () => {
  assert.deepEqual(JSON.parse(await saidInChromium(folder, program, `askAll(${questions()})`)), expected);
});
