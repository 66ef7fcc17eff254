import { totalmem } from 'node:os';
import { MEBIBYTE } from '../base/bytes.ts';
import type { SettingsOf } from './options.ts';

/** Settings for opening a node's store. */
export interface StoreSettings {
  /** Bytes of database files that are kept in memory; a share of the machine's memory when left out. */
  readonly cacheBytes?: number | undefined;
  /** The block that is accepted as the head although the folder promises another. */
  readonly acceptHead?: number | undefined;
}

/** The settings of the store in the data folder. */
export function readStoreSettings(values: SettingsOf<'store'>): StoreSettings {
  const cacheMib = values['database-cache-mib'];
  return { acceptHead: values['accept-head'], cacheBytes: cacheMib === undefined ? undefined : cacheMib * MEBIBYTE };
}

/** The folder of the database. */
export function readDataDir({ 'data-dir': folder = 'data/node' }: SettingsOf<'store'>): string {
  return folder;
}

/** A file that a copy of the data folder doesn't contain. */
export function besideDataDir(values: SettingsOf<'store'>, ending: string): string {
  return `${readDataDir(values).replace(/\/+$/, '')}${ending}`;
}

const SHARE = 8; // of the machine's memory: the rest is for the heap, buffers and the system's own cache of files
const SMALLEST = 256 * MEBIBYTE;
/**
 * The part for rows holds nearly all of a million accounts with their keys, the part for histories the filters of
 * some 70 million transactions. What a node holds besides, heaps and write buffers, is some 400 MiB, so it stays
 * below 1.2 GiB. A larger cache has to be configured.
 */
const LARGEST = 720 * MEBIBYTE;

/** Bytes of the database's files that a node keeps in memory by default: a share of the machine's memory. */
export function defaultCacheBytes(machineBytes = totalmem()): number {
  return Math.min(Math.max(Math.trunc(machineBytes / SHARE), SMALLEST), LARGEST);
}
