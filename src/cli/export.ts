import { Command } from 'commander';
import { exitCodes } from '../base/exit_codes.ts';
import { Fault } from '../base/fault.ts';
import { Refusal } from '../base/refusal.ts';
import { connectOverHttp } from '../client/connect.ts';
import { escapeControls } from '../wallet/show/terminal.ts';
import { positive } from '../settings/flag_values.ts';
import { openFolderCopy } from '../data_folder/folder_copy.ts';
import { BlockLogWriter, indexPath } from '../block_log/block_log_writer.ts';
import { writeCertificates } from '../block_log/certificate_file.ts';
import { checkedBlocks, type BlockSource } from '../block_log/block_source.ts';
import { FolderSource } from '../block_log/folder_source.ts';
import { NodeSource } from '../block_log/node_source.ts';
import { streamBlockLog } from '../block_log/block_log_stream.ts';
import { cleaningUp } from '../system/first_cause.ts';
import { makeProgress } from '../system/progress.ts';
import { requireSpared } from './spared_file.ts';

interface ExportOptions {
  readonly blockLog: string;
  readonly dataDir: string | undefined;
  readonly url?: string;
  readonly from?: number;
  readonly to?: number;
}

const EXAMPLES = `
Examples:
  $ pharos export --data-dir data/node --block-log backup/block_log        from a stopped node's folder
  $ pharos export --url http://127.0.0.1:9193 --block-log backup/block_log  from a running node
  $ pharos export --data-dir data/node --from 1001 --block-log later        continues a log that ends with block 1000
  $ pharos export --data-dir data/node --block-log - | zstd > block_log.zst

Only irreversible blocks are written. A log that begins with block 1 can be imported into an empty folder, a later one into a folder that
has the blocks before it. Beside the log, F.index has the 64-bit position of each block; positions count from the beginning of the file.
From a folder of a chain with finality, F.certificates has the certificates of the last blocks of rounds: an import verifies them, and tells
those blocks as irreversible.

Exit codes: 0 the log is complete, 1 writing or the connection failed, 2 wrong usage or blocks that are not there, 3 damaged data, 5 the node refused`;

/** `pharos export`: writes blocks as the lineage's block log. */
export function exportCommand(): Command {
  return new Command('export')
    .description('write the block log of a chain, as the lineage has it, from a stopped folder or from a running node')
    .requiredOption(
      '--block-log <file>',
      'where to write; its index goes to <file>.index; - is standard output, without an index',
    )
    .option(
      '--data-dir <folder>',
      'folder of the database, which no node is using; for a development chain data/dev/chain',
    )
    .option('--url <address>', 'http address of a running node, instead of a folder')
    .option('--from <number>', 'the first block; 1 when left out', positive)
    .option('--to <number>', 'the last block; the last irreversible one when left out', positive)
    .addHelpText('after', EXAMPLES)
    .action(runExport);
}

async function runExport(options: ExportOptions): Promise<void> {
  const { dataDir, url, blockLog } = options;
  if (blockLog !== '-') requireSpared(blockLog, '--block-log');
  if (dataDir !== undefined && url === undefined) return await exportFolder(dataDir, options);
  if (dataDir === undefined && url !== undefined) return await exportNode(url, options);
  throw new Fault(
    'configuration',
    'either --data-dir, the folder of a stopped node, or --url, the address of a running one, is needed',
  );
}

async function exportFolder(folder: string, options: ExportOptions): Promise<void> {
  const { store, loss, close } = await openFolderCopy(folder, 'export');
  await cleaningUp(async () => {
    if (loss !== undefined) throw loss;
    await import('../state/tables/index.ts');
    await write(new FolderSource(folder, store), options);
  }, close);
}

async function exportNode(url: string, options: ExportOptions): Promise<void> {
  const connection = connectOverHttp(url);
  try {
    await write(await NodeSource.of(url, connection), options);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`pharos: the node at ${url} refuses: ${escapeControls(`${error.message} (${error.code})`)}\n`);
    process.exitCode = exitCodes.refused;
  } finally {
    connection.close();
  }
}

/** Writes the blocks that the options ask for, to a file or to standard output. */
async function write(
  source: BlockSource,
  { blockLog, from: first = 1, to: last = source.final }: ExportOptions,
): Promise<void> {
  if (last > source.final)
    throw new Fault(
      'configuration',
      `${source.name}: block ${last} is not irreversible yet; the last one that is is ${source.final}`,
    );
  if (last < first)
    throw new Fault('configuration', `${source.name}: there are no irreversible blocks from ${first} to ${last}`);
  const progress = makeProgress('blocks', first - 1, last);
  let [written, outdated] = [first - 1, noFault()];
  const known = untilUnknown(checkedBlocks(source, first, last), (fault) => (outdated = fault));
  const blocks = noting(known, (number) => progress.update((written = number)));
  try {
    const bytes = await (blockLog === '-' ? streamBlockLog(process.stdout, blocks) : writeFiles(blockLog, blocks));
    progress.stop();
    if (blockLog !== '-') writeCertificates(blockLog, source.certificates?.(first, written) ?? []);
    if (bytes !== undefined) process.stderr.write(`${report(blockLog, first, written, bytes)}\n`);
    if (outdated !== undefined) throw outdated;
  } finally {
    progress.stop();
  }
}

function report(path: string, first: number, last: number, bytes: number): string {
  const files = path === '-' ? 'standard output' : `${path} and ${indexPath(path)}`;
  const use = first === 1 ? '' : `; it can be imported where blocks 1 to ${first - 1} are`;
  return `blocks ${first} to ${last}, ${bytes} bytes, are in ${files}${use}`;
}

interface Numbered {
  readonly number: number;
  readonly packed: Uint8Array;
}

function noFault(): Fault | undefined {
  return undefined;
}

/** Ends before a block that this program is too old for; blocks that come before it are kept. */
async function* untilUnknown(blocks: AsyncIterable<Numbered>, note: (fault: Fault) => void): AsyncGenerator<Numbered> {
  let count = 0;
  try {
    for await (const block of blocks) {
      yield block;
      count++;
    }
  } catch (error) {
    if (count === 0 || !(error instanceof Fault) || error.code !== 'outdated') throw error;
    note(error);
  }
}

async function* noting(blocks: AsyncIterable<Numbered>, note: (number: number) => void): AsyncGenerator<Uint8Array> {
  for await (const { number, packed } of blocks) {
    yield packed;
    note(number);
  }
}

/** Returns the length of the log. */
async function writeFiles(path: string, blocks: AsyncIterable<Uint8Array>): Promise<number> {
  const writer = new BlockLogWriter(path);
  try {
    for await (const packed of blocks) writer.append(packed);
    writer.finish();
    return writer.bytes;
  } catch (error) {
    writer.discard();
    throw error;
  }
}
