import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { testKeyText } from '../builders/chain.ts';
import { freePort } from './free_port.ts';
import { at, listMember, numberMember, textMember } from './json.ts';
import type { Machine, Program } from './program.ts';
import type { Finished, Site } from './site.ts';
import { waitUntil } from './wait_until.ts';

/** Which program to start; without one, this. */
export interface Release {
  readonly machine: Machine;
  readonly environment: Readonly<Record<string, string>>;
}

export const WITNESSES = 7;
/** The threshold of `pharos genesis create` for seven, which is the quorum of finality, too. */
export const REQUIRED = 5;
/** The guides have three. */
const BLOCK_SECONDS = 1;
/** A key votes from the round on that begins more than ten slots behind the first start of its node. */
const UNCERTAIN_SLOTS = 14;

export interface HardforkProperties {
  readonly current: string;
  readonly next: string;
  readonly nextTime: string;
  readonly last: number;
}

/** Seven witnesses of a public chain, each with a node of its own, as the guide "Your own chain" sets it up. */
export class WitnessFleet {
  readonly programs: Program[] = [];
  readonly #site: Site;
  readonly #ports: readonly number[];
  readonly #names = Array.from({ length: WITNESSES }, (_, node) => (node === 0 ? 'initminer' : `witness${node + 1}`));

  private constructor(site: Site, ports: readonly number[]) {
    this.#site = site;
    this.#ports = ports;
  }

  /** Makes the genesis, starts all nodes, and waits until each witness is in the round and votes. */
  static async begin(site: Site): Promise<WitnessFleet> {
    const fleet = new WitnessFleet(site, await Promise.all(Array.from({ length: WITNESSES }, freePort)));
    writeFileSync(site.path('accounts.csv'), `name,key,balance\nalice,${testKeyText('alice')},10000000\n`);
    const size = ['--preset', 'public', '--witnesses', String(WITNESSES), '--set', `block_interval=${BLOCK_SECONDS}`];
    const files = ['--accounts', 'accounts.csv', '--out', 'genesis.json', '--keys', 'keys'];
    await fleet.done(['genesis', 'create', '--name', 'rehearsal', ...size, ...files]);
    await Promise.all(
      fleet.#names.slice(1).map(async (name) => await fleet.done(['keys', '--key-file', `${name}.signing`])),
    );
    for (const node of fleet.#names.keys()) fleet.#writeConfig(node);
    const begin = ['--enable-stale-production'];
    await Promise.all(fleet.#names.map(async (_, node) => await fleet.start(node, undefined, ...begin)));
    await fleet.#makeWitnesses();
    return fleet;
  }

  async #makeWitnesses(): Promise<void> {
    const first = this.program(0);
    await waitUntil(
      'nodes whose keys may vote',
      async () => (await fetchStand(first)).head > UNCERTAIN_SLOTS || undefined,
    );
    await Promise.all(
      this.#names.slice(1).map(async (name) => {
        const keys = ['--key-file', `${name}.signing`, '--wallet-file', `keys/${name}.key`];
        await this.done(['witness', 'create', name, ...keys, '--yes', '--url', this.url(0)]);
      }),
    );
    await waitUntil('a round of seven', async () => {
      const schedule = at(await first.result('alexandria_api.get_witness_schedule_object'), 'schedule_obj');
      return numberMember(schedule, 'num_scheduled_witnesses') === WITNESSES || undefined;
    });
    await this.final();
  }

  witnessName(node: number): string {
    return this.#names[node] ?? assert.fail(`there is no node ${node}`);
  }

  nodeFolder(node: number): string {
    return this.#site.path(`node${node}`);
  }

  program(node: number): Program {
    return this.programs[node] ?? assert.fail(`node ${node} has been started`);
  }

  url(node: number): string {
    return `http://127.0.0.1:${this.program(node).port}`;
  }

  get running(): Program[] {
    return this.programs.filter(({ isRunning }) => isRunning);
  }

  /** Addresses of all nodes for their peers. */
  get seeds(): string[] {
    return this.#ports.map((port) => `127.0.0.1:${port}`);
  }

  /** The settings of a node. */
  configPath(node: number): string {
    return this.#site.path(`node${node}.ini`);
  }

  #writeConfig(node: number): void {
    const name = this.witnessName(node);
    const own = `127.0.0.1:${this.#ports[node]}`;
    const lines = [
      `genesis-json = ${this.#site.path('genesis.json')}`,
      `data-dir = ${this.nodeFolder(node)}`,
      'webserver-http-endpoint = 127.0.0.1:0',
      `p2p-endpoint = ${own}`,
      ...this.seeds.flatMap((seed) => (seed === own ? [] : [`p2p-seed-node = ${seed}`])),
      `witness = ${name}`,
      `private-key-file = ${this.#site.path(node === 0 ? 'keys/initminer.signing.key' : `${name}.signing`)}`,
    ];
    writeFileSync(this.configPath(node), lines.join('\n'));
  }

  /** Starts a node with its folder. */
  async start(node: number, release?: Release, ...more: readonly string[]): Promise<void> {
    this.programs[node] = this.launch(['run', '--config', this.configPath(node), ...more], release);
    await this.program(node).ready();
  }

  /** Starts the program with these words. */
  launch(words: readonly string[], release?: Release): Program {
    return this.#site.start(words, release?.environment, release?.machine);
  }

  /** Runs a command to its end. */
  async run(words: readonly string[], release?: Release): Promise<Finished> {
    const program = this.launch(words, release);
    const code = await program.exited;
    return { code, stdout: program.stdout, stderr: program.stderr };
  }

  /** Returns the output of a command that must succeed. */
  async done(words: readonly string[], release?: Release): Promise<string> {
    const { code, stdout, stderr } = await this.run(words, release);
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Stops a node, and starts the release with the same folder; without one, the former program. */
  async upgrade(node: number, release?: Release): Promise<void> {
    if (this.program(node).isRunning) assert.equal(await this.program(node).stop(), 0, this.program(node).stderr);
    await this.start(node, release);
  }

  /** Waits until at all that run the newest blocks are final, beyond that number; the least of their final blocks. */
  async final(above = 0): Promise<number> {
    const finals = this.running.map(
      async (program) =>
        await waitUntil(
          () =>
            `newest blocks that are final at ${this.witnessName(this.programs.indexOf(program))}:\n${program.complaints}`,
          async () => {
            const { head, final } = await fetchStand(program);
            return final > above && head - final <= 2 ? final : undefined;
          },
        ),
    );
    return Math.min(...(await Promise.all(finals)));
  }

  async stop(): Promise<void> {
    for (const program of this.running) assert.equal(await program.stop(), 0, program.stderr);
  }
}

/** Asks for the heads of a chain. */
export async function fetchStand(
  program: Program,
): Promise<{ readonly head: number; readonly final: number; readonly time: number }> {
  const properties = at(await program.result('alexandria_api.get_dynamic_global_properties'), 'properties');
  return {
    head: numberMember(properties, 'head_block_number'),
    final: numberMember(properties, 'last_irreversible_block_num'),
    time: Date.parse(`${textMember(properties, 'time')}Z`) / 1000,
  };
}

export async function fetchHardforks(program: Program): Promise<HardforkProperties> {
  const said = await program.result('database_api.get_hardfork_properties');
  return {
    current: textMember(said, 'current_hardfork_version'),
    next: textMember(said, 'next_hardfork'),
    nextTime: textMember(said, 'next_hardfork_time'),
    last: numberMember(said, 'last_hardfork'),
  };
}

/** The first block of that time or later, which the node has. */
export async function findFirstBlock(program: Program, time: number): Promise<number> {
  const { head } = await fetchStand(program);
  for (let number = head; number > 1; number--) if ((await blockTime(program, number - 1)) < time) return number;
  return assert.fail('all blocks are later');
}

async function blockTime(program: Program, block_num: number): Promise<number> {
  const header = await program.result('block_api.get_block_header', { block_num });
  return Date.parse(`${textMember(header, 'timestamp')}Z`) / 1000;
}

/** Names of the operations that the chain itself made in a block. */
export async function virtualOperations(program: Program, block_num: number): Promise<string[]> {
  const said = await program.result('account_history_api.get_ops_in_block', { block_num, only_virtual: true });
  return listMember(said, 'ops').map((each) => textMember(each, 'op.0'));
}
