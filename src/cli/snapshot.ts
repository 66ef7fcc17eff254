import { join } from 'node:path';
import { Command } from 'commander';
import { Fault } from '../base/fault.ts';
import { readParameters } from '../settings/chain_settings.ts';
import { chainNamed } from '../settings/named_chain.ts';
import { readConfig } from '../settings/read_config.ts';
import { openFolderCopy, requireUnused } from '../data_folder/folder_copy.ts';
import { cleaningUp } from '../system/first_cause.ts';
import { askForSnapshot } from '../snapshot/ask_for_snapshot.ts';
import { checkSnapshot, inspectSnapshot } from '../snapshot/check_snapshot.ts';
import { readSigningKeys } from '../witness/signing/signing_keys.ts';
import { fileSum, requireFileSum } from '../snapshot/file_sum.ts';
import { loadIntoFolder } from '../snapshot/load_into_folder.ts';
import { writeSignature } from '../snapshot/signature_file.ts';
import type { SnapshotHeader } from '../snapshot/snapshot_schema.ts';
import { requireVouched } from '../snapshot/vouched.ts';
import { writeSnapshot, type WrittenSnapshot } from '../snapshot/write_snapshot.ts';
import { needs } from './needed_flags.ts';
import { requireSpared } from './spared_file.ts';

const EXAMPLES = `
Examples:
  $ pharos snapshot create --data-dir data/node --out state.avro     of a stopped node
  $ pharos snapshot create --url http://127.0.0.1:9193 --out state.avro   of a running one of this machine
  $ pharos snapshot inspect state.avro
  $ pharos snapshot verify state.avro
  $ pharos snapshot load state.avro --data-dir data/second --own     a node that begins there
  $ pharos run --data-dir data/second --genesis-json data/second/genesis.json

A snapshot is one Avro container file (the schema is in it) with the last irreversible state, its last block and the chain's genesis. The same
state gives the same file. What is in it proves nothing about who has made it, so load asks: --own says that a node of yours has
written it; otherwise it takes the file by a sha256 that you have from somebody you trust, or by the signature of a key that you name, and the node
is not ready before its block is in the chains of three peers that it has dialled, or of one whose id you give (id@host:port).
On a chain with finality, finality-checkpoint = what pharos checkpoint prints takes the place of these peers.

Exit codes: 0 done, 1 writing or the connection failed, 2 wrong usage or another chain, 3 damaged data, 5 the node refused`;

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
  readonly dataDir: string | undefined;
  readonly url: string | undefined;
  readonly out: string;
  readonly blocks: boolean;
  readonly genesis?: string;
  readonly profile: string;
  readonly initialSigningKey?: string;
  readonly signWith: string | undefined;
  readonly passwordFile: string | undefined;
}

function createCommand(): Command {
  return new Command('create')
    .description('write the last irreversible state of a node into a file')
    .option(
      '--data-dir <folder>',
      'folder of the database, which no node is using; for a development chain data/dev/chain',
    )
    .option('--url <address>', 'http, https, ws or wss address of a running node of this machine, instead of a folder')
    .requiredOption('--out <file>', 'where to write')
    .option('--blocks', 'with all blocks and histories that the folder has, instead of the last block alone', false)
    .option('--genesis <file>', 'genesis file of the chain; genesis.json beside or in the folder when left out')
    .option('--profile <name>', 'symbols of the chain', 'default')
    .option('--initial-signing-key <key>', "public key that signs the first witness's blocks, instead of the profile's")
    .option(
      '--sign-with <file>',
      'file of a private key, as pharos keys --key-file writes it: its signature goes into the file with .sig behind the name',
    )
    .option('--password-file <file>', 'file whose first line is the password of an encrypted key file')
    .hook(
      'preAction',
      needs({
        '--password-file': ['--sign-with'],
        '--genesis': ['--data-dir'],
        '--profile': ['--data-dir'],
        '--initial-signing-key': ['--data-dir'],
      }),
    )
    .action(create);
}

async function create(flags: CreateFlags): Promise<void> {
  const { dataDir, url, out, blocks, signWith, passwordFile } = flags;
  const isOne = (dataDir === undefined) !== (url === undefined);
  if (!isOne)
    fail(
      'either --data-dir, the folder of a stopped node, or --url, the address of a running one of this machine, is needed',
    );
  if (url !== undefined && blocks) fail('--blocks: a running node writes the last block alone');
  requireSpared(out, '--out');
  const secret = await signingSecret(signWith, passwordFile);
  const { header, rows, bytes } =
    url === undefined ? await createOffline(dataDir ?? '', flags) : await askForSnapshot(url, out);
  const sum = await fileSum(out);
  if (secret !== undefined) writeSignature(out, sum, secret);
  process.stdout.write(`${headerText(header)}${rows} rows, ${bytes} bytes, are in ${out}\nsha256 ${sum}\n`);
}

async function createOffline(
  dataDir: string,
  { out, blocks, genesis, profile, initialSigningKey }: CreateFlags,
): Promise<WrittenSnapshot> {
  requireUnused(dataDir, 'snapshot create');
  const genesisFiles =
    genesis === undefined ? [join(dataDir, 'genesis.json'), join(dataDir, '..', 'genesis.json')] : [genesis];
  const settings = chainNamed({ profile, genesisFiles, initialSigningKey });
  const { store, loss, close } = await openFolderCopy(dataDir, 'snapshot create');
  return await cleaningUp(async () => {
    if (loss !== undefined) throw loss;
    const origin = {
      store,
      parameters: readParameters(settings),
      genesis: settings.genesisText ?? '',
      withBlocks: blocks,
    };
    return await writeSnapshot(out, origin);
  }, close);
}

/** The key that vouches for the file; looked for before there is one. */
async function signingSecret(
  path: string | undefined,
  passwordFile: string | undefined,
): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined;
  const [secret] = await readSigningKeys([path], passwordFile, { setting: '--password-file' });
  return secret;
}

interface LoadFlags {
  readonly dataDir: string;
  readonly chainId?: string;
  readonly sha256?: string;
  readonly own: boolean;
  readonly config?: string;
  readonly snapshotSignedBy?: readonly string[];
}

function loadCommand(): Command {
  return new Command('load')
    .description('make a data folder of a snapshot, with which a node begins')
    .argument('<file>')
    .requiredOption('--data-dir <folder>', 'where the chain is to lie; it holds none yet')
    .option('--chain-id <id>', 'the chain that is wanted')
    .option('--own', 'a node of yours has written the file: it is taken as it is', false)
    .option('--sha256 <digits>', 'of the file, as sha256sum prints it, from somebody you trust')
    .option(
      '--snapshot-signed-by <key...>',
      'public keys, one of which has signed the file; those of the settings when left out',
    )
    .option('-c, --config <file>', 'INI file with the settings of the node')
    .action(async (file: string, flags: LoadFlags) => {
      const { dataDir, chainId, sha256, own: isOwn } = flags;
      await requireVouched(file, { isOwn, sha256, signedBy: readSigners(flags) });
      const { head, genesisFile } = await loadIntoFolder(file, dataDir, { chainId, isOwn });
      const waits = isOwn
        ? ''
        : 'it is not ready before enough peers have that block: add seeds, one with its id (id@host:port), or finality-checkpoint on a chain with finality\n';
      const line = `pharos run --data-dir ${dataDir} --genesis-json ${genesisFile}`;
      process.stdout.write(`${dataDir} is at block ${head.head_block_number}; ${waits}start it with\n${line}\n`);
    });
}

/** The keys of the command line, or else of the settings. */
function readSigners({ config: iniFile, snapshotSignedBy }: LoadFlags): readonly string[] {
  const flags = snapshotSignedBy === undefined ? {} : { 'snapshot-signed-by': snapshotSignedBy };
  return readConfig({ iniFile, environment: process.env, flags }).values['snapshot-signed-by'] ?? [];
}

function inspectCommand(): Command {
  return new Command('inspect')
    .description('show what is in a snapshot')
    .argument('<file>')
    .action((file: string) => {
      const { header, tables } = inspectSnapshot(file);
      const lines = tables.map(
        ({ table, rows, bytes }) =>
          `${table.padEnd(34)}${String(rows).padStart(12)} rows${String(bytes).padStart(16)} bytes\n`,
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

function fail(message: string): never {
  throw new Fault('configuration', message);
}
