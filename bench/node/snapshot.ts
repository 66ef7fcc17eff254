import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readParameters } from '../../src/settings/chain_settings.ts';
import { openFolderCopy } from '../../src/data_folder/folder_copy.ts';
import { loadIntoFolder } from '../../src/snapshot/load_into_folder.ts';
import { writeSnapshot, type WrittenSnapshot } from '../../src/snapshot/write_snapshot.ts';
import { amountRow, row, type BenchOptions, type Measured, type Row } from '../bench.ts';
import { buildLargeChain, builtSizes } from '../rpc/large_chain_build.ts';
import { grouped } from '../table.ts';

/** A million in a minute. */
const BUDGET = { perCpuSecond: 1_000_000 / 60 };
const MOST_BYTES = 150;
/**
 * Only what is irreversible is in a snapshot, and the ids of transactions are in it for an hour: what accounts cost is
 * seen behind that.
 */
const BLOCKS_BEHIND = 60 + 1200;

/**
 * A snapshot of a chain with many accounts, each with three keys of its own and an entry of history, written and
 * loaded. PHAROS_BENCH_ACCOUNTS says how many, 20 000 by default: files of as many pack as well as those of a million.
 * With PHAROS_BENCH_CHAIN the chain stays in that folder.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const accounts = quick ? 200 : Number(process.env['PHAROS_BENCH_ACCOUNTS'] ?? 20_000);
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const dataFolder = process.env['PHAROS_BENCH_CHAIN'] ?? join(folder, 'data');
  try {
    if (builtSizes(dataFolder) === undefined)
      await buildLargeChain(dataFolder, { accounts, entries: 0, documents: 0 }, BLOCKS_BEHIND);
    const file = join(folder, 'snapshot');
    const { measured: writing, result } = await timed(accounts, async () => await written(dataFolder, file));
    const { measured: loading } = await timed(
      accounts,
      async () => await loadIntoFolder(file, join(folder, 'loaded'), { isOwn: true }),
    );
    const note = `${grouped(accounts)} accounts, three keys each, ${grouped(result.bytes)} bytes`;
    return [
      row('snapshot: write', 'account in a file', writing, { budget: BUDGET, note }),
      row('snapshot: load', 'account in a data folder, all of it checked', loading, { budget: BUDGET }),
      amountRow(
        'snapshot: size',
        'bytes an account',
        { value: result.bytes / accounts, unit: 'B' },
        { budget: { atMost: MOST_BYTES } },
      ),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function written(folder: string, file: string): Promise<WrittenSnapshot> {
  const genesis = readFileSync(join(folder, 'genesis.json'), 'utf8');
  const parameters = readParameters({ profileName: 'default', genesisText: genesis, initialSigningKey: undefined });
  const { store, close } = await openFolderCopy(join(folder, 'chain'), 'bench');
  try {
    return await writeSnapshot(file, { store, parameters, genesis, withBlocks: false });
  } finally {
    await close();
  }
}

async function timed<T>(
  work: number,
  job: () => Promise<T>,
): Promise<{ readonly measured: Measured; readonly result: T }> {
  const before = process.cpuUsage();
  const result = await job();
  const { user, system } = process.cpuUsage(before);
  return { measured: { work, cpuMicros: user + system }, result };
}
