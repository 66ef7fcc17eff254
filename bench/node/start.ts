import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync, type BuildOptions } from 'esbuild';
import { assert } from '../../src/base/assert.ts';
import { amountRow, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';

/** The modules of each thread of a node, besides Node's own. */
const PARTS: readonly (readonly [name: string, modules: readonly string[]])[] = [
  ['Node and nothing else', []],
  ['the library of schemas', ['jsonrpc/envelope/typebox.js']],
  ['codecs, values, operations and tables', ['operations/index.js', 'state/tables/index.js', 'blocks/transaction.js']],
  ['the writer', ['node/threads/writer/writer.js', 'storage/rocksdb.js']],
  ['a verifier', ['verifiers/batch_verifier.js', 'storage/rocksdb.js']],
  ['the front with all methods', ['node/front.js', 'rpc/methods.js', 'jsonrpc/http/uws_http_server.js']],
  ['the client', ['client/index.js']],
];

const SRC = new URL('../../src/', import.meta.url);

/** As scripts/setup/bundled.js does it. */
const BUNDLED: BuildOptions = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: ['uWebSockets.js', '@nxtedition/rocksdb', 'piscina', 'bufferutil', 'utf-8-validate'],
  sourcemap: true,
  sourcesContent: false,
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module';\nconst require = requireFrom(import.meta.url);",
  },
};

// As deep as the program, and where it finds its packages.
const PART = fileURLToPath(new URL('../../program/part/part.js', import.meta.url));

/**
 * Measures a start: the modules of each thread, then the whole from the command to the first answer, with a new chain
 * and an old one.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const rounds = quick ? 1 : 5;
  const loads = PARTS.map(([name, modules]) =>
    amountRow(
      `loading: ${name}`,
      'CPU milliseconds',
      { value: least(rounds, () => loadMs(modules)), unit: 'ms' },
      { note: modules.join(' ') },
    ),
  );
  return [...loads, ...(await starts(rounds))];
}

/** Bundled as the program is, in a process of its own that ends at once. */
function loadMs(modules: readonly string[]): number {
  const contents = `${modules.map((module) => `import ${JSON.stringify(`./${module}`)};`).join('\n')}
    const { user, system } = process.cpuUsage(); process.stdout.write(String(user + system)); process.exit();`;
  buildSync({ ...BUNDLED, stdin: { contents, resolveDir: fileURLToPath(SRC) }, outfile: PART });
  const { stdout, status } = spawnSync(process.execPath, ['--enable-source-maps', PART], { encoding: 'utf8' });
  rmSync(dirname(PART), { recursive: true });
  assert(status === 0, `${modules.join(' ')} can be loaded`);
  return Number(stdout) / 1000;
}

async function starts(rounds: number): Promise<Row[]> {
  const fresh: Start[] = [];
  const again: Start[] = [];
  for (let round = 0; round < rounds; round++) {
    const dataFolder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
    try {
      fresh.push(await measureStart(dataFolder));
      again.push(await measureStart(dataFolder));
    } finally {
      rmSync(dataFolder, { recursive: true, force: true });
    }
  }
  const first = startRow('start to first answer, a new chain', fresh);
  const atMost = (first.amount?.value ?? 0) + OPENING_MS;
  return [first, { ...startRow('start to first answer, a chain that is there', again), budget: { atMost } }];
}

/** The promise about opening, beyond what starting the program costs at all. */
const OPENING_MS = 1000;

/** The times of one start. */
interface Start {
  readonly cpuMs: number;
  readonly wallMs: number;
}

async function measureStart(dataFolder: string): Promise<Start> {
  const startedMs = performance.now();
  const node = await DevNode.start({ dataFolder });
  await node.client.call('alexandria_api.info', {});
  const start = { cpuMs: node.cpuMicros() / 1000, wallMs: performance.now() - startedMs };
  await node.stop();
  return start;
}

function startRow(name: string, all: readonly Start[]): Row {
  const wallMs = Math.min(...all.map((start) => start.wallMs));
  const value = Math.min(...all.map((start) => start.cpuMs));
  return amountRow(
    name,
    'CPU milliseconds',
    { value, unit: 'ms' },
    { note: `${wallMs.toFixed(0)} ms of wall time at the least` },
  );
}

function least(rounds: number, measure: () => number): number {
  return Math.min(...Array.from({ length: rounds }, measure));
}
