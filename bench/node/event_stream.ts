import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { eventForms } from '../../src/sinks/event_form.ts';
import { NatsSink } from '../../src/sinks/nats/nats_sink.ts';
import type { Mark, Sink, StreamMessage } from '../../src/sinks/sink.ts';
import { SinkChain } from '../../src/sinks/sink_chain.ts';
import { StreamWriter } from '../../src/sinks/stream_writer.ts';
import { chainView } from '../../src/state/chain_view.ts';
import { profiles } from '../../src/values/profile.ts';
import { present } from '../../src/base/assert.ts';
import { measureAsync, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { DevChain } from '../dev_chain.ts';
import { MixedTraffic } from '../mixed_traffic.ts';

const PORT = 14_622;
const BUDGET = { perCpuSecond: 100_000 };

/**
 * A stream that is behind catches up from disk, up to a nats-server of its own process, and to a sink that takes
 * everything at once: the traffic of a network that people use, with block messages only, and with a message for each
 * operation besides.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const [blocks, calls, rounds] = quick ? [2, 60, 1] : [20, 2500, 3];
  const dev = await DevChain.open({ durable: false });
  dev.voteForLargeBlocks();
  const traffic = new MixedTraffic(dev);
  for (let block = 0; block < blocks; block++) {
    traffic.verify(traffic.draw(calls).batches);
    traffic.apply();
    dev.seal();
  }
  const work = countOperations(dev);
  const note = `mix real, blocks of ${Math.round(work / blocks)} operations, block messages only`;
  const rows: Row[] = [];
  for (const form of ['avro', 'json'] as const) {
    const measured = await measureAsync(work, rounds, () => catchUp(dev, new Everything(), form));
    rows.push(row(`event stream, ${form}: rows to messages`, 'operation', measured, { note }));
  }
  // The smallest form is run where no server of others is installed.
  if (!quick) rows.push(...(await rowsWithServer(dev, { work, rounds, note })));
  await dev.close();
  return rows;
}

async function rowsWithServer(
  dev: DevChain,
  { work, rounds, note }: { work: number; rounds: number; note: string },
): Promise<Row[]> {
  const full = await withServer(dev, work, rounds, false);
  const alone = await withServer(dev, work, rounds, true);
  return [
    row('event stream, avro: rows to nats-server', 'operation, accepted', full, { note, budget: BUDGET }),
    row('event stream, avro: with a message for each operation', 'operation, accepted', alone, {
      note: note.replace(', block messages only', ''),
    }),
  ];
}

/** The chain's own included. */
function countOperations(dev: DevChain): number {
  const chain = new SinkChain(chainView(dev.store, 16), 3, 'COIN');
  let count = 0;
  for (let number = 1; number <= chain.end.number; number++)
    for (const chunk of chain.operations(present(chain.head(number), 'a block'))) count += chunk.length;
  return count;
}

async function catchUp(dev: DevChain, sink: Sink, name: 'avro' | 'json', withOperations = false): Promise<void> {
  const encoding = { ...present(profiles['default'], 'a profile'), dialect: 'default', operationForm: 'pair' } as const;
  const writer: StreamWriter = new StreamWriter({
    chain: new SinkChain(chainView(dev.store, 16), 3, encoding.coinSymbol),
    sink,
    rules: { form: eventForms[name], encoding, withOperations },
    ...{ irreversibleOnly: false, mayRevert: true, clock: systemClock, log: openLog({ level: 'error' }, 'sink') },
  });
  const running = writer.run();
  while (writer.figures.lagBlocks > 0) await new Promise<void>((resolve) => void systemClock.after(5, resolve));
  writer.stop();
  await running;
}

/** Each round fills a stream of its own. */
async function withServer(dev: DevChain, work: number, rounds: number, withOperations: boolean): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-nats-'));
  const server = spawn('nats-server', ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(PORT)], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    await listening(server);
    let round = 0;
    return await measureAsync(work, rounds, async () => {
      const name = `bench${round++}`;
      const connection = { servers: [`127.0.0.1:${PORT}`] };
      await catchUp(
        dev,
        new NatsSink({
          connection,
          subject: `pharos.${name}`,
          stream: name,
          form: eventForms.avro,
          clock: systemClock,
        }),
        'avro',
        withOperations,
      );
    });
  } finally {
    server.kill('SIGKILL');
    await once(server, 'close');
    rmSync(folder, { recursive: true, force: true });
  }
}

async function listening(server: ChildProcess): Promise<void> {
  let said = '';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('close', () => reject(new Error(`nats-server has ended: ${said}`)));
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      if (said.includes('Server is ready')) resolve();
    });
  });
}

/** Takes all at once. */
class Everything implements Sink {
  last: Mark | undefined;
  readonly lostMessages = 0;

  position(): Promise<Mark | undefined> {
    return Promise.resolve(this.last);
  }

  find(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async publish({ mark }: StreamMessage): Promise<void> {
    this.last = mark;
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }

  accepted(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
