import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../../src/base/assert.ts';
import { against, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { measured, type Client, type Server } from '../posts.ts';

const HOT = 'alexandria_api.get_dynamic_global_properties';
const call = (id: number, method = HOT, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params });
const ids = Array.from({ length: 500 }, (_, id) => id);
const ONE = JSON.stringify(call(1));
const HUNDRED = JSON.stringify(ids.slice(0, 100).map((id) => call(id)));

/** The connections of clients, and the posts at once on each. */
const ONE_BY_ONE: Client = { connections: 64, atOnce: 1 };
const PIPELINED: Client = { connections: 16, atOnce: 16 };
const ROUNDS = 3;

/**
 * Reads through the server of the plain program, against a server on the same library that does nothing. No client
 * repeats its ids.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const posts = quick ? 500 : 40_000;
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const node = await DevNode.start({});
  const empty = await startEmpty(await (await fetch(node.url, { method: 'POST', body: ONE })).text());
  try {
    const hot = writeLines(join(folder, 'hot'), (id) => call(id));
    const account = writeLines(join(folder, 'account'), (id) =>
      call(id, 'alexandria_api.get_account', { account_name: 'alice' }),
    );
    const rows: Row[] = [];
    for (const [name, client] of [
      ['one by one', ONE_BY_ONE],
      ['pipelined', PIPELINED],
    ] as const) {
      const note = `${client.connections} connections, ${client.atOnce} at once on each`;
      const budget = client === ONE_BY_ONE ? { budget: { ratio: 0.8 } } : {};
      const asked = [
        { server: empty, body: hot },
        { server: node, body: hot },
        { server: node, body: account },
      ];
      const [nothing, hotRead, getAccount] = await cheapest(quick ? 1 : ROUNDS, asked, client, posts);
      const baseline = row(`empty handler, ${name}`, 'post', present(nothing, 'a figure'), { note });
      const ofHot = row(`hot read, ${name}`, HOT, present(hotRead, 'a figure'), { note, ...budget });
      const ofAccount = row(
        `get_account, ${name}`,
        'alexandria_api.get_account of one account',
        present(getAccount, 'a figure'),
        { note },
      );
      rows.push(baseline, against(ofHot, baseline), against(ofAccount, baseline));
    }
    const batches = Math.ceil(posts / 50);
    const { cpuMicros } = await measured(node, ONE_BY_ONE, batches, HUNDRED);
    const hundreds = { work: batches * 100, cpuMicros };
    rows.push(
      row('hot reads in batches of 100', HOT, hundreds, { budget: { perCpuSecond: 300_000 }, note: '64 connections' }),
    );
    return rows;
  } finally {
    empty.process.kill();
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures each kind in turns, so that the load of neighbours on the machine hits all alike. */
async function cheapest(rounds: number, asked: readonly Asked[], client: Client, posts: number): Promise<Measured[]> {
  const best: Measured[] = asked.map(() => ({ work: posts, cpuMicros: Infinity }));
  for (let round = 0; round < rounds; round++) {
    for (const [k, { server, body }] of asked.entries()) {
      const now = await measured(server, client, posts, body);
      if (now.cpuMicros < present(best[k], 'a figure').cpuMicros) best[k] = now;
    }
  }
  return best;
}

interface Asked {
  readonly server: Server;
  readonly body: string;
}

/** A file of bodies, one a line, each with an id of its own; answers its name as http_load.ts takes it. */
function writeLines(file: string, bodyOf: (id: number) => object): string {
  writeFileSync(file, ids.map((id) => JSON.stringify(bodyOf(id))).join('\n'));
  return `@${file}`;
}

async function startEmpty(answer: string): Promise<Server & { readonly process: ChildProcess }> {
  const child = fork(fileURLToPath(new URL('../empty_server.js', import.meta.url)), [answer]);
  const port = await nextEvent(child, 'message');
  assert(typeof port === 'number' && port > 0, 'the empty server listens');
  return { port, pid: present(child.pid, 'a process'), process: child };
}
