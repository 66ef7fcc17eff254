import { join } from 'node:path';
import { Command } from 'commander';
import { parametersOf } from '../chain_settings.ts';
import { chainNamed } from '../config/named_chain.ts';
import { openFolderCopy } from '../data_folder/folder_copy.ts';
import { cleaningUp } from '../first_cause.ts';
import { checkSnapshot, inspectSnapshot } from '../snapshot/check_snapshot.ts';
import { requireFileSum } from '../snapshot/file_sum.ts';
import { loadIntoFolder } from '../snapshot/load_into_folder.ts';
import type { SnapshotHeader } from '../snapshot/snapshot_schema.ts';
import { writeSnapshot } from '../snapshot/write_snapshot.ts';

const EXAMPLES = `
Examples:
  $ pharos snapshot create --data-dir data/node --out state.avro     of a stopped node
  $ pharos snapshot inspect state.avro
  $ pharos snapshot verify state.avro
  $ pharos snapshot load state.avro --data-dir data/second           a node that begins there
  $ pharos run --data-dir data/second --genesis-json data/second/genesis.json

A snapshot is one Avro container file (the schema is in it) with the last irreversible state, its last block and the chain's genesis. The same
state gives the same file. What is in it proves nothing about who has made it: take a file of somebody else's only with a sha256 that you
have from somebody you trust (--sha256).

Exit codes: 0 done, 1 writing failed, 2 wrong usage or another chain, 3 damaged data`;

/** `pharos snapshot`: a chain's state as a file. */
export function snapshotCommand(): Command {
  return new Command('snapshot')
    .description('write the state of a chain into a file, and begin a node with one')
    .addCommand(createCommand())
    .addCommand(loadCommand())
    .addCommand(inspectCommand())
    .addCommand(verifyCommand())
    .addHelpText('after', EXAMPLES);
}

interface CreateFlags {
  readonly dataDir: string;
  readonly out: string;
  readonly blocks: boolean;
  readonly genesis?: string;
  readonly profile: string;
  readonly initialSigningKey?: string;
}

function createCommand(): Command {
  return new Command('create')
    .description('write the last irreversible state of a stopped node into a file')
    .requiredOption('--data-dir <folder>', 'folder of the database, which no node is using; for a development chain data/dev/chain')
    .requiredOption('--out <file>', 'where to write')
    .option('--blocks', 'with all blocks and histories that the folder has, instead of the last block alone', false)
    .option('--genesis <file>', 'genesis file of the chain; genesis.json beside or in the folder when left out')
    .option('--profile <name>', 'words of the chain', 'default')
    .option('--initial-signing-key <key>', "public key that signs the first witness's blocks, instead of the profile's")
    .action(create);
}

async function create({ dataDir, out, blocks, genesis, profile, initialSigningKey }: CreateFlags): Promise<void> {
  const genesisFiles = genesis === undefined ? [join(dataDir, 'genesis.json'), join(dataDir, '..', 'genesis.json')] : [genesis];
  const settings = chainNamed({ profile, genesisFiles, initialSigningKey });
  const { store, loss, close } = await openFolderCopy(dataDir, 'snapshot create');
  await cleaningUp(async () => {
    if (loss !== undefined) throw loss;
    const origin = { store, parameters: parametersOf(settings), genesis: settings.genesisText ?? '', withBlocks: blocks };
    const { header, rows, bytes } = await writeSnapshot(out, origin);
    process.stdout.write(`${headerText(header)}${rows} rows, ${bytes} bytes, are in ${out}\n`);
  }, close);
}

interface LoadFlags {
  readonly dataDir: string;
  readonly chainId?: string;
  readonly sha256?: string;
}

function loadCommand(): Command {
  return new Command('load')
    .description('make a data folder of a snapshot, with which a node begins')
    .argument('<file>')
    .requiredOption('--data-dir <folder>', 'where the chain is to lie; it holds none yet')
    .option('--chain-id <id>', 'the chain that is wanted')
    .option('--sha256 <digits>', 'of the file, as sha256sum prints it')
    .action(async (file: string, { dataDir, chainId, sha256 }: LoadFlags) => {
      if (sha256 !== undefined) await requireFileSum(file, sha256);
      const { head, genesisFile } = await loadIntoFolder(file, dataDir, chainId);
      process.stdout.write(
        `${dataDir} is at block ${head.head_block_number}; start it with\npharos run --data-dir ${dataDir} --genesis-json ${genesisFile}\n`,
      );
    });
}

function inspectCommand(): Command {
  return new Command('inspect')
    .description('show what is in a snapshot')
    .argument('<file>')
    .action((file: string) => {
      const { header, tables } = inspectSnapshot(file);
      const lines = tables.map(
        ({ table, rows, bytes }) => `${table.padEnd(34)}${String(rows).padStart(12)} rows${String(bytes).padStart(16)} bytes\n`,
      );
      process.stdout.write(`${headerText(header)}${lines.join('')}`);
    });
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('check a snapshot as load does, and load nothing')
    .argument('<file>')
    .option('--sha256 <digits>', 'of the file, as sha256sum prints it')
    .action(async (file: string, { sha256 }: Pick<LoadFlags, 'sha256'>) => {
      if (sha256 !== undefined) await requireFileSum(file, sha256);
      process.stdout.write(`${headerText(await checkSnapshot(file))}intact\n`);
    });
}

function headerText({ chain_id, profile, block_number, block_id, oldest_block, state_hash }: SnapshotHeader): string {
  const blocks = oldest_block === block_number ? '' : `, with blocks from ${oldest_block} on`;
  return `chain ${chain_id} (${profile})\nblock ${block_number} ${block_id}${blocks}\nstate hash ${state_hash}\n`;
}
