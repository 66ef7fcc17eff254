import { Fault } from '../base/fault.ts';
import type { LogSettings } from '../base/log.ts';
import { CHECKPOINT_FORM, parseCheckpoint } from '../values/checkpoint.ts';
import type { ThreadMemory } from '../system/thread_memory.ts';
import { getBlockNumber } from '../values/hash.ts';
import type { ChainSettings } from './chain_settings.ts';
import type { SettingsOf } from './options.ts';
import type { ProductionSettings } from './production_settings.ts';

/** The settings that the writer is started with. */
export interface WriterSettings extends ThreadMemory {
  readonly chain: ChainSettings;
  /** Attaches to the store that the main thread has opened and will close. */
  readonly storeHandle: bigint;
  /** The data folder, which holds the head journal. */
  readonly folder: string;
  readonly durable: boolean;
  readonly checkpoints: readonly (readonly [number, string])[];
  /** The end of an epoch that people have named as final. */
  readonly finalityCheckpoint?: NamedBlock | undefined;
  /** The number of newest blocks to keep; undefined for all. */
  readonly blocksKept?: number | undefined;
  /** Of how many of the newest epochs the certificates are all kept; three days' when undefined. */
  readonly epochsKept?: number | undefined;
  /** Mebibytes of decoded rows that the writer keeps; ROW_CACHE_MIB when undefined. */
  readonly rowCacheMib?: number | undefined;
  /** The number of newest blocks that can be undone, final or not; undefined for those that are not final. */
  readonly undoBlocks?: number | undefined;
  readonly production: ProductionSettings | undefined;
  /** For broadcasts that the writer verifies itself: the same as in `VerifierSettings`. */
  readonly guardsMemos?: boolean | undefined;
  /** A write of many blocks ends with each block whose number is a multiple, so that the state behind it is known. */
  readonly writesEndEach?: number | undefined;
  readonly log: LogSettings;
}

/** Reads the operator's settings for the chain's blocks on this disk. Throws Fault `configuration`. */
export function readWriterSettings(
  values: SettingsOf<'writer'>,
): Pick<
  WriterSettings,
  'durable' | 'checkpoints' | 'finalityCheckpoint' | 'rowCacheMib' | 'blocksKept' | 'epochsKept'
> {
  return {
    durable: (values.sync ?? 'every-block') === 'every-block',
    checkpoints: parseCheckpoints(values.checkpoint),
    finalityCheckpoint: parseFinalityCheckpoint(values['finality-checkpoint']),
    rowCacheMib: values['row-cache-mib'],
    blocksKept: blocksKept(values),
    epochsKept: epochsKept(values),
  };
}

function blocksKept({ 'blocks-kept': count }: SettingsOf<'writer'>): number | undefined {
  return count === 0 ? fail('blocks-kept: a positive number expected; leave it out to keep all blocks') : count;
}

function epochsKept({ 'finality-epochs-kept': count }: SettingsOf<'writer'>): number | undefined {
  return count === 0 ? fail('finality-epochs-kept: a positive number expected') : count;
}

/**
 * The blocks that an operator has named. Fault `configuration` for two ids of one block, and for an id of another
 * number.
 */
export function parseCheckpoints(texts: readonly string[] = []): readonly (readonly [number, string])[] {
  const ids = new Map<number, string>();
  for (const [number, id] of texts.map(readCheckpoint)) {
    if (getBlockNumber(id) !== number)
      fail(`checkpoint: the id ${id} is one of block ${getBlockNumber(id)}, not of block ${number}`);
    const other = ids.get(number) ?? id;
    if (other !== id)
      fail(`checkpoint: block ${number} is named twice, as ${other} and as ${id}; leave out the one that is wrong`);
    ids.set(number, id);
  }
  return [...ids];
}

/** The end of an epoch that people have named as final. */
export interface NamedBlock {
  readonly number: number;
  readonly id: string;
  /** The digest of the voters that the block names, where that is said, too. */
  readonly voters?: string | undefined;
  /** The time of the block, in seconds since 1970, where that is said, too. */
  readonly time?: number | undefined;
}

/**
 * The end of an epoch that the operator has named. Fault `configuration` for anything else than a checkpoint, or a
 * number and an id of that number.
 */
export function parseFinalityCheckpoint(text: string | undefined): NamedBlock | undefined {
  if (text === undefined) return undefined;
  const checkpoint = parseCheckpoint(text);
  if (checkpoint !== undefined) return checkpoint;
  const [, number, id = ''] =
    /^(\d{1,10}):([0-9a-f]{40})(?::|$)/.exec(text) ??
    fail(`finality-checkpoint: NUMBER:ID or ${CHECKPOINT_FORM} expected, got ${text}`);
  if (getBlockNumber(id) !== Number(number))
    fail(`finality-checkpoint: the id ${id} is one of block ${getBlockNumber(id)}, not of block ${number}`);
  if (text !== `${number}:${id}`)
    fail(
      `finality-checkpoint: what follows ${number}:${id} is not :VOTERS_DIGEST:TIME, as pharos checkpoint prints it`,
    );
  return { number: Number(number), id };
}

function readCheckpoint(text: string): readonly [number, string] {
  const match = /^\[\s*(\d{1,10})\s*,\s*"([0-9a-f]{40})"\s*\]$/.exec(text);
  return match === null
    ? fail(`checkpoint: [block number, "block id"] expected, got ${text}`)
    : [Number(match[1]), match[2] ?? ''];
}

function fail(message: string): never {
  throw new Fault('configuration', message);
}
