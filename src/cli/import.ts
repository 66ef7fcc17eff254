import { closeSync, openSync, writeSync } from 'node:fs';
import { Command } from 'commander';
import { Fault } from '../base/fault.ts';
import type { EncodingOptions } from '../codec/encoding_options.ts';
import { writeJson } from '../codec/json_writer.ts';
import { Chain } from '../chain/chain.ts';
import { stateDump } from '../block_log/state_dump.ts';
import type { ChainParameters } from '../state/parameters.ts';
import { BlockLog } from '../block_log/block_log.ts';
import type { RocksDbStore } from '../storage/rocksdb.ts';
import { parseBlockNumbers } from '../block_log/block_numbers.ts';
import { readParameters } from '../settings/chain_settings.ts';
import { wholeNumber } from '../settings/flag_values.ts';
import { chainNamed } from '../settings/named_chain.ts';
import { DataFolder } from '../data_folder/data_folder.ts';
import { deriveDevKey } from '../dev_chain/dev_genesis.ts';
import { onDisk } from '../system/system_error.ts';
import { cleaningUp } from '../system/first_cause.ts';
import { takeCertificates } from '../block_log/certificate_file.ts';
import { importBlocks } from '../block_log/import_blocks.ts';
import { makeProgress } from '../system/progress.ts';
import { VerifierPool } from '../verifiers/verifier_pool.ts';
import { defaultVerifierThreads } from '../settings/verifier_settings.ts';
import { needs } from './needed_flags.ts';
import { requireSpared } from './spared_file.ts';

interface ImportOptions {
  readonly genesis: string;
  readonly profile: string;
  readonly blockLog: string;
  readonly dataDir: string;
  readonly initialSigningKey?: string;
  readonly stopAt?: string;
  readonly dumpState?: string;
  readonly out?: string;
  readonly acceptHead?: number;
}

const EXAMPLES = `
Examples:
  $ pharos import --genesis genesis.json --profile lineage --block-log block_log --data-dir data/imported
  $ pharos import … --stop-at 300 --dump-state 1-200,250,300 --out states.jsonl`;

/**
 * Keys whose references a state lists: those of the recorded state traces, whose secrets are the sha256 of these names.
 */
const TRACED_KEYS = ['init_key', 'alice', 'updme2'].map((name) => deriveDevKey(name));

/** `pharos import`: applies a block log of the lineage node. */
export function importCommand(): Command {
  return new Command('import')
    .description('apply a block log of the lineage node, with every check but the wall clock')
    .requiredOption('--genesis <file>', 'genesis file of the chain')
    .requiredOption('--block-log <file>', 'packed blocks, each followed by the position where it starts')
    .option('--profile <name>', 'symbols of the chain: default or lineage', 'default')
    .option('--data-dir <folder>', 'where the chain is kept; an import goes on where it was stopped', 'data/imported')
    .option('--initial-signing-key <key>', "public key that signs the first witness's blocks, instead of the profile's")
    .option('--stop-at <number>', 'the last block to apply')
    .option(
      '--accept-head <number>',
      'go on although blocks are missing: number of the last one that is there',
      wholeNumber,
    )
    .option('--dump-state <numbers>', 'write the state after these blocks, such as 1-200,250,300')
    .option('--out <file>', 'where states are written, one JSON object a line; standard output when left out')
    .hook('preAction', needs({ '--out': ['--dump-state'] }))
    .addHelpText('after', EXAMPLES)
    .action(runImport);
}

async function runImport(options: ImportOptions): Promise<void> {
  const { genesis, profile, initialSigningKey } = options;
  const settings = chainNamed({ profile, genesisFiles: [genesis], initialSigningKey });
  const stopAt = lastToApply(options);
  const { dumpState } = options;
  const numbers = new Set(dumpState === undefined ? [] : parseBlockNumbers(dumpState, '--dump-state'));
  const parts = {
    options,
    stopAt,
    numbers,
    parameters: readParameters(settings),
    log: new BlockLog(options.blockLog, { stopAt }),
  };
  const folder = await DataFolder.lock(options.dataDir, 'import');
  await cleaningUp(
    async () => {
      const store = await folder.open({ chainId: parts.parameters.chainId, acceptHead: options.acceptHead });
      const verifiers = new VerifierPool({ chain: settings, storeHandle: undefined }, defaultVerifierThreads());
      await cleaningUp(
        () => importIntoFolder(folder, store, { ...parts, verifiers }),
        async () => {
          await verifiers.close();
          await store.close();
        },
      );
    },
    async () => {
      parts.log.close();
      folder.release();
    },
  );
}

interface ImportWork {
  readonly options: ImportOptions;
  /** The last block to apply; undefined for all. */
  readonly stopAt: number | undefined;
  /** The blocks after which the state is written. */
  readonly numbers: ReadonlySet<number>;
  readonly parameters: ChainParameters;
  readonly log: BlockLog;
  readonly verifiers: VerifierPool;
}

/** Applies the blocks of the log that the folder lacks. */
async function importIntoFolder(folder: DataFolder, store: RocksDbStore, work: ImportWork): Promise<void> {
  const { options, stopAt, parameters, log, verifiers } = work;
  const states = openStates(work);
  // Nothing is recorded as durable before the end, where closing the journal syncs it and reports errors.
  const journal = folder.journal(() => undefined);
  try {
    const chain = new Chain({ store, parameters, durable: false, journal });
    folder.begun();
    const firstBlock = requireLinking(chain.head.number, log.firstNumber(), options);
    const end = firstBlock + log.length - 1;
    const lastBlock = Math.min(end, stopAt ?? end);
    const progress = makeProgress('blocks', chain.head.number, lastBlock);
    const reached = (number: number): void => {
      progress.update(number);
      if (states.numbers.has(number)) states.write(chain, parameters);
    };
    await importBlocks({ chain, log, verifiers, firstBlock, lastBlock, stops: states.numbers, reached });
    progress.stop();
    if (parameters.hasFinality) takeCertificates(chain, parameters, options.blockLog);
    chain.sync();
    const { number, id, stateHash } = chain.head;
    process.stderr.write(`head block ${number} ${id}, state hash ${stateHash}\n`);
  } finally {
    states.close();
    journal.close();
  }
}

function lastToApply({ stopAt }: ImportOptions): number | undefined {
  return stopAt === undefined ? undefined : parseBlockNumbers(stopAt, '--stop-at').at(-1);
}

/**
 * Throws Fault `configuration` when blocks are missing between the chain's head and a log that begins with block
 * `first`.
 */
function requireLinking(head: number, first: number, { blockLog, dataDir }: ImportOptions): number {
  if (first <= head + 1) return first;
  const missing = first === head + 2 ? `block ${head + 1}` : `blocks ${head + 1} to ${first - 1}`;
  throw new Fault(
    'configuration',
    `${blockLog} begins with block ${first}, and ${dataDir} ends at block ${head}: import ${missing} first`,
  );
}

interface States {
  readonly numbers: ReadonlySet<number>;
  write(chain: Chain, parameters: ChainParameters): void;
  close(): void;
}

function openStates({ options: { out }, numbers }: ImportWork): States {
  const place = out ?? 'standard output';
  if (out !== undefined) requireSpared(out, '--out');
  const opened = out === undefined ? 1 : onDisk(`cannot write ${out}`, () => openSync(out, 'w'));
  const file = numbers.size === 0 ? undefined : opened;
  return {
    numbers,
    write(chain, parameters) {
      if (file === undefined) return;
      const encoding: EncodingOptions = { ...parameters.profile, dialect: 'legacy', operationForm: 'pair' };
      const line = `${writeJson(stateDump(chain.committed, parameters, encoding, TRACED_KEYS))}\n`;
      onDisk(`cannot write ${place}`, () => writeSync(file, line));
    },
    close() {
      if (file !== undefined && out !== undefined) closeSync(file);
    },
  };
}
