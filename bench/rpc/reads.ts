import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { assert, present } from '../../src/base/assert.ts';
import { against, row, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { nextEvent } from '../next_event.ts';
import { measured, type Client, type Server } from '../posts.ts';

const HOT = 'alexandria_api.get_dynamic_global_properties';
const call = (id: number, method = HOT, params: object = {}): object => ({ jsonrpc: '2.0', id, method, params });
const ONE = JSON.stringify(call(1));
const HUNDRED = JSON.stringify(Array.from({ length: 100 }, (_, id) => call(id)));
const ACCOUNT = JSON.stringify(call(1, 'alexandria_api.get_account', { account_name: 'alice' }));

const ONE_BY_ONE: Client = { connections: 64, atOnce: 1 };
const PIPELINED: Client = { connections: 16, atOnce: 16 };

/** Reads through the door of the plain program, against a server on the same library that does nothing. */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const posts = quick ? 500 : 40_000;
  const node = await DevNode.start({});
  const answer = await (await fetch(node.url, { method: 'POST', body: ONE })).text();
  const empty = await startEmpty(answer);
  try {
    const rows: Row[] = [];
    for (const [name, client] of [
      ['one by one', ONE_BY_ONE],
      ['pipelined', PIPELINED],
    ] as const) {
      const note = `${client.connections} connections, ${client.atOnce} at once on each`;
      const baseline = row(`empty handler, ${name}`, 'post', await measured(empty, client, posts, ONE), { note });
      const budget = client === ONE_BY_ONE ? { budget: { ratio: 0.8 } } : {};
      const hot = row(`hot read, ${name}`, HOT, await measured(node, client, posts, ONE), { note, ...budget });
      const account = row(
        `get_account, ${name}`,
        'alexandria_api.get_account of one account',
        await measured(node, client, posts, ACCOUNT),
        { note },
      );
      rows.push(baseline, against(hot, baseline), against(account, baseline));
    }
    const batches = Math.ceil(posts / 50);
    const { cpuMicros } = await measured(node, ONE_BY_ONE, batches, HUNDRED);
    rows.push(
      row(
        'hot reads in batches of 100',
        HOT,
        { work: batches * 100, cpuMicros },
        { budget: { perCpuSecond: 300_000 }, note: '64 connections' },
      ),
    );
    return rows;
  } finally {
    empty.process.kill();
    await node.stop();
  }
}

async function startEmpty(answer: string): Promise<Server & { readonly process: ChildProcess }> {
  const child = fork(fileURLToPath(new URL('../empty_server.js', import.meta.url)), [answer]);
  const port = await nextEvent(child, 'message');
  assert(typeof port === 'number' && port > 0, 'the empty server listens');
  return { port, pid: present(child.pid, 'a process'), process: child };
}
