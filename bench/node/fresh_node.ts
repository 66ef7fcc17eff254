import { spawn } from 'node:child_process';
import { createReadStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { assert } from '../../src/base/assert.ts';
import { openFolderCopy } from '../../src/data_folder/folder_copy.ts';
import { readParameters } from '../../src/settings/chain_settings.ts';
import { fileSum } from '../../src/snapshot/file_sum.ts';
import { writeSnapshot } from '../../src/snapshot/write_snapshot.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { nextEvent } from '../next_event.ts';
import { buildLargeChain, builtSizes } from '../rpc/large_chain_build.ts';
import { grouped } from '../table.ts';

const PROGRAM = fileURLToPath(new URL('../../program/node/cli.js', import.meta.url));
const BUDGET_SECONDS = 120;
/** Older blocks are irreversible, and so in the snapshot. */
const BLOCKS_BEHIND = 100;
const LOOK_MS = 100;
const LONGEST_MS = 20 * 60_000;

/**
 * Measures the start of a node without a chain until it is ready (`/readyz`) with a snapshot, from a file and from an
 * address of this machine, beside a node that makes blocks. Wall time from the start of the process on.
 * PHAROS_BENCH_ACCOUNTS is the number of accounts; with PHAROS_BENCH_CHAIN the chain stays in that folder.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const accounts = quick ? 200 : Number(process.env['PHAROS_BENCH_ACCOUNTS'] ?? 20_000);
  const kept = process.env['PHAROS_BENCH_CHAIN'];
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const dataFolder = kept ?? join(folder, 'maker');
  try {
    if (builtSizes(dataFolder) === undefined)
      await buildLargeChain(dataFolder, { accounts, entries: 0, documents: 0 }, BLOCKS_BEHIND);
    const file = join(folder, 'state.avro');
    await write(dataFolder, file);
    return await measured({ folder, dataFolder, file, accounts });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly dataFolder: string;
  readonly file: string;
  readonly accounts: number;
}

async function write(dataFolder: string, file: string): Promise<void> {
  const genesis = readFileSync(join(dataFolder, 'genesis.json'), 'utf8');
  const parameters = readParameters({ profileName: 'default', genesisText: genesis, initialSigningKey: undefined });
  const { store, close } = await openFolderCopy(join(dataFolder, 'chain'), 'bench');
  try {
    await writeSnapshot(file, { store, parameters, genesis, withBlocks: false });
  } finally {
    await close();
  }
}

async function measured({ folder, dataFolder, file, accounts }: Place): Promise<Row[]> {
  const maker = new Started([
    'dev',
    '--port',
    '0',
    '--data-dir',
    dataFolder,
    '--p2p-endpoint',
    '127.0.0.1:0',
    '--silent',
  ]);
  const server = startServer(file);
  try {
    const [, id = '', port = ''] = await maker.says(/node ([0-9a-f]{64}), peers on (\d+)/);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}/state.avro`;
    const sources: readonly (readonly [string, readonly string[]])[] = [
      ['a file', [file, '--snapshot-own']],
      ['an address', [url, '--snapshot-sha256', await fileSum(file)]],
    ];
    const note = `${grouped(accounts)} accounts, ${grouped(statSync(file).size)} bytes; all of it checked, its block in the chain of a pinned peer`;
    const rows: Row[] = [];
    for (const [said, source] of sources) {
      const value = await secondsUntilReady(join(folder, said), [
        ...source,
        '--p2p-trusted-node',
        `${id}@127.0.0.1:${port}`,
      ]);
      rows.push(
        amountRow(
          `fresh node, from ${said}`,
          'node that is ready',
          { value, unit: 's' },
          { budget: { atMost: BUDGET_SECONDS }, note },
        ),
      );
    }
    return rows;
  } finally {
    server.close();
    await maker.stop();
  }
}

async function secondsUntilReady(dataFolder: string, source: readonly string[]): Promise<number> {
  const startedMs = performance.now();
  const node = new Started([
    'run',
    '--data-dir',
    dataFolder,
    '--webserver-http-endpoint',
    '127.0.0.1:0',
    '--snapshot',
    ...source,
  ]);
  try {
    const [, port = ''] = await node.says(/listening on (\d+)/);
    while ((await fetch(`http://127.0.0.1:${port}/readyz`)).status !== 200) await sleep(LOOK_MS);
    return (performance.now() - startedMs) / 1000;
  } finally {
    await node.stop();
  }
}

function startServer(file: string): Server {
  return createServer((_, response) => {
    response.writeHead(200, { 'content-length': statSync(file).size, etag: '"bench"' });
    createReadStream(file).pipe(response);
  });
}

/** Variables that configure benches are no settings of a node. */
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PHAROS_')));

/** The program as anybody starts it. */
class Started {
  readonly #process;
  #said = '';

  constructor(args: readonly string[]) {
    this.#process = spawn(process.execPath, [PROGRAM, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment,
    });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => void (this.#said += text));
  }

  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (const endMs = performance.now() + LONGEST_MS; performance.now() < endMs; await sleep(LOOK_MS)) {
      const found = pattern.exec(this.#said);
      if (found !== null) return found;
      assert(this.#process.exitCode === null, `the program runs: ${this.#said}`);
    }
    throw new Error(`the program does not say ${String(pattern)}: ${this.#said}`);
  }

  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const exit = nextEvent(this.#process, 'exit');
    this.#process.kill('SIGINT');
    await exit;
  }
}
