import { Fault } from '../base/fault.ts';
import { refusals } from '../base/refusal.ts';
import type { RowReader } from '../storage/rows.ts';
import type { Seconds } from '../values/time.ts';
import { makeVersion, versionText, type Version } from '../values/version.ts';
import { hardforkProperty } from './tables/hardfork_property.ts';

const refuse = refusals({
  hardfork_not_applied:
    'a block can have {operation} from hardfork {hardfork} (version {version}) on, which this chain has not applied; database_api.get_hardfork_properties shows when it does',
});

/** Refusals of an operation before its hardfork. */
export const hardforkRefusals = refuse.texts;

/** A protocol change that this software supports. */
export interface Hardfork {
  readonly id: number;
  readonly version: Version;
  /** It may not be applied before this time. */
  readonly time: Seconds;
  /** The change, as the documents say it. */
  readonly doc: string;
}

/**
 * All hardforks after genesis, in order. Their numbers are permanent. Operations and rules name the one that they begin
 * with (`since`), and witnesses vote for the next one.
 */
export const hardforks = {
  interestVotes: {
    id: 1,
    version: makeVersion(1, 1, 0),
    time: 1_543_838_400, // 2018-12-03T12:00:00
    doc: 'Interest changes votes, name seeds are limited in length, and signatures are checked against another bound.',
  },
  bandwidth: {
    id: 2,
    version: makeVersion(1, 2, 0),
    time: 1_551_182_400, // 2019-02-26T12:00:00
    doc: 'Operations without a fee are limited in number and bytes.',
  },
} as const satisfies Readonly<Record<string, Hardfork>>;

/** The hardforks that this software supports, in the order in which chains apply them. */
export const knownHardforks: readonly Hardfork[] = Object.values(hardforks);

/** The protocol version of software that supports these hardforks: that of the last one. */
export function protocolVersion(supported: readonly Hardfork[]): Version {
  return supported.at(-1)?.version ?? makeVersion(1, 0, 0);
}

/** Returns whether the chain has applied the hardfork. */
export function hasHardfork(rows: RowReader, { id }: Pick<Hardfork, 'id'>): boolean {
  // The first entry is genesis.
  return rows.only(hardforkProperty).processed_hardforks.length > id;
}

/** The remedy for a program that is too old for its chain. */
export const NEWER_RELEASE = 'install a release of Pharos that knows it, and start that with the same data folder';

/**
 * Fault `outdated` where the chain has applied a hardfork that this program doesn't know: it would apply later blocks by
 * former rules.
 */
export function requireKnownHardforks(
  rows: RowReader,
  known: readonly Hardfork[],
  remedy: string = NEWER_RELEASE,
): void {
  const { last_hardfork, current_hardfork_version } = rows.only(hardforkProperty);
  if (last_hardfork <= known.length) return;
  throw new Fault(
    'outdated',
    `this chain has applied hardfork ${last_hardfork} (version ${versionText(current_hardfork_version)}), and this program knows version ${versionText(protocolVersion(known))}: ${remedy}`,
  );
}

/** A kind of operation that blocks may have from a hardfork on, or from the beginning where it names none. */
interface KindSince {
  readonly name: string;
  readonly since: Hardfork | undefined;
}

/** Refuses an operation whose hardfork the chain has not applied. */
export function requireHardfork(rows: RowReader, { name: operation, since }: KindSince): void {
  if (since === undefined || hasHardfork(rows, since)) return;
  const { id: hardfork, version } = since;
  refuse.hardfork_not_applied({ operation, hardfork, version: versionText(version) });
}
