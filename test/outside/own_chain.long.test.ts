import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from './free_port.ts';
import { at, numberMember, textMember, type Json } from './json.ts';
import { nodeId } from './network_nodes.ts';
import type { Program } from './program.ts';
import { Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

// "Your own chain in fifteen minutes", typed as it stands there, with a block a second on free ports.

const site = new Site();
after(() => site.clear());

const page = readFileSync(fileURLToPath(new URL('../../../src/pages/guides/own_chain.md', import.meta.url)), 'utf8');

/** A reader's step: writing a file, or typing a line. */
type Step = { readonly file: string; readonly text: string } | { readonly line: string };

/** The steps of a section. A block of settings belongs into the file that the text names last before it. */
function guideSteps(heading: string): readonly Step[] {
  const section = page.split(/^## /m).find((each) => each.startsWith(`${heading}\n`)) ?? assert.fail(heading);
  const steps: Step[] = [];
  let from = 0;
  for (const { index, 0: block, 1: language = '', 2: content = '' } of section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)) {
    const names = [...section.slice(from, index).matchAll(/`(node\d\.ini)`/g)].map(([, name = '']) => name);
    from = index + block.length;
    if (language === 'ini') steps.push({ file: names.at(-1) ?? assert.fail(`a file of ${content}`), text: content });
    else
      steps.push(
        ...content
          .trim()
          .split('\n')
          .map((line) => ({ line })),
      );
  }
  return steps;
}

class Reader {
  readonly #ports = new Map<string, string>();
  readonly nodes = new Map<string, Program>();
  readonly said = new Map<string, string>();

  async begin(): Promise<void> {
    for (const [usual] of page.matchAll(/\b9[12]9\d\b/g))
      if (!this.#ports.has(usual)) this.#ports.set(usual, String(await freePort()));
  }

  node(number: number): Program {
    return this.nodes.get(`node${number}.ini`) ?? assert.fail(`node ${number} runs`);
  }

  #own(text: string): string {
    return text.replaceAll(/\b9[12]9\d\b/g, (usual) => this.#ports.get(usual) ?? usual);
  }

  async follow(heading: string): Promise<void> {
    for (const step of guideSteps(heading)) {
      if ('file' in step) writeFileSync(site.path(step.file), this.#own(step.text));
      else await this.type(step.line);
    }
  }

  async type(line: string): Promise<void> {
    const [program = '', ...words] = Array.from(
      this.#own(line).matchAll(/"([^"]*)"|(\S+)/g),
      ([, quoted, bare]) => quoted ?? bare ?? '',
    );
    if (program !== 'pharos') {
      this.said.set(line, execFileSync('sh', ['-c', this.#own(line)], { cwd: site.folder, encoding: 'utf8' }));
      return;
    }
    if (words[0] === 'run') {
      const node = site.start(words);
      await node.ready();
      this.nodes.set(words.at(-1) ?? '', node);
      return;
    }
    const { code, stdout, stderr } = await site.run([...words, ...this.#chosen(words)]);
    assert.equal(code, 0, `${line}: ${stderr}`);
    this.said.set(line, stdout);
  }

  /** The reader's first node has another port here, and its slots come faster. */
  #chosen([command = '', order = '', ...rest]: readonly string[]): readonly string[] {
    const port = this.#ports.get('9193') ?? '';
    if (command === 'genesis' && order === 'create') return ['--set', 'block_interval=1'];
    if (command === 'witness' && !rest.includes('--url')) return ['--url', `http://127.0.0.1:${port}`];
    return [];
  }
}

/** A wallet's flags stand before its words. */
function withServer(line: string, port: number): string {
  return line.replace('pharos wallet', `pharos wallet --server ws://127.0.0.1:${port}`);
}

interface Stand {
  readonly head: number;
  readonly final: number;
}

async function fetchStand(program: Program): Promise<Stand> {
  const properties = at(await program.result('alexandria_api.get_dynamic_global_properties'), 'properties');
  return {
    head: numberMember(properties, 'head_block_number'),
    final: numberMember(properties, 'last_irreversible_block_num'),
  };
}

async function blocksLater(program: Program, count: number): Promise<void> {
  const { head } = await fetchStand(program);
  await waitUntil(`${count} blocks`, async () => (await fetchStand(program)).head >= head + count || undefined);
}

async function fetchWitness(program: Program, owner_account: string): Promise<Json> {
  return at(await program.result('alexandria_api.get_witness', { owner_account }), 'witness');
}

/** Waits until the newest blocks are final at all nodes that run. */
async function finalEverywhere(reader: Reader): Promise<void> {
  for (const [name, program] of reader.nodes)
    await waitUntil(`the newest blocks to be final at ${name}`, async () => {
      const { head, final } = await fetchStand(program);
      return (head > 0 && head - final <= 2) || undefined;
    });
}

test('a reader of the guide gets a chain of four witnesses, votes, a fifth node from a snapshot, and a standby', async () => {
  const reader = new Reader();
  await reader.begin();
  await reader.follow('The genesis');
  const check = reader.said.get('pharos genesis check genesis.json') ?? assert.fail('it was typed');
  assert.match(check, /anna 1000000\.000000 COIN[^]*3 of 4 witnesses must live[^]*1 may fail at once/);

  await reader.follow('Four nodes');
  assert.match(reader.said.get('pharos peers --url http://127.0.0.1:9194') ?? '', /by us/);
  assert.match(reader.said.get('curl -s http://127.0.0.1:9193/health') ?? '', /"head_block_number"/);
  const first = reader.node(1);
  await finalEverywhere(reader);

  await reader.follow('Witnesses');
  assert.match(reader.said.get('pharos witness status witness4') ?? '', /^witness +witness4/m);
  await waitUntil('a round of four', async () => {
    const schedule = at(await first.result('alexandria_api.get_witness_schedule_object'), 'schedule_obj');
    return numberMember(schedule, 'num_scheduled_witnesses') === 4 || undefined;
  });
  await blocksLater(first, 8);
  await finalEverywhere(reader);

  for (const step of guideSteps('First votes'))
    if ('line' in step) await reader.type(withServer(step.line, first.port));
  for (const name of ['initminer', 'witness2', 'witness3', 'witness4'])
    assert.equal(numberMember(await fetchWitness(first, name), 'votes'), 500_000_000_000, name);

  await reader.follow('A fifth node, by a snapshot');
  const [keys, run, settings, again, status, ...more] = guideSteps('A standby');
  assert.deepEqual(more, []);
  for (const step of [keys, run]) await reader.type(step !== undefined && 'line' in step ? step.line : assert.fail());
  await finalEverywhere(reader);

  const key = textMember(JSON.parse(reader.said.get('pharos keys --key-file standby.key') ?? '{}'), 'pub_key');
  const added = settings !== undefined && 'file' in settings ? settings : assert.fail('settings of node 4');
  assert.equal(added.file, 'node4.ini');
  const before = readFileSync(site.path('node4.ini'), 'utf8').replace('enable-stale-production = true\n', '');
  writeFileSync(site.path('node4.ini'), before);
  appendFileSync(site.path('node4.ini'), added.text.replace('KEY', key).replace('ID', nodeId(reader.node(5))));
  assert.equal(await reader.node(4).stop(), 0);
  await reader.type(again !== undefined && 'line' in again ? again.line : assert.fail());
  await waitUntil('a standby that is ready', async () => {
    const said = await reader.node(5).result('witness_node_api.get_production');
    return textMember(at(said, 'standing_by'), '0.obstacle') === '' || undefined;
  });
  const line = status !== undefined && 'line' in status ? status.line : assert.fail();
  await waitUntil('the standby in the status of its witness', async () => {
    await reader.type(line);
    return /^standby +[0-9a-f]{12}…, connected/m.test(reader.said.get(line) ?? '') || undefined;
  });

  const lost = reader.node(4);
  lost.kill();
  await lost.exited;
  reader.nodes.delete('node4.ini');
  await waitUntil(
    'the standby to take over',
    async () => textMember(await fetchWitness(first, 'witness4'), 'signing_key') === key || undefined,
  );
  await finalEverywhere(reader);
  for (const program of reader.nodes.values()) assert.equal(await program.stop(), 0);
});
