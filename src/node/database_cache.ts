import { totalmem } from 'node:os';
import { MEBIBYTE } from '../base/bytes.ts';

const SHARE = 8; // of the machine's memory: the rest is for the heap, buffers and the system's own cache of files
const SMALLEST = 256 * MEBIBYTE;
/**
 * Three quarters of it hold nearly all of a million accounts with their keys; what a node holds besides, heaps, write buffers and filters,
 * is some 400 MiB, so it stays below 1.2 GiB. A larger cache has to be configured.
 */
const LARGEST = 640 * MEBIBYTE;

/** Bytes of the database's files that a node keeps in memory by default: a share of the machine's memory. */
export function defaultCacheBytes(machineBytes = totalmem()): number {
  return Math.min(Math.max(Math.trunc(machineBytes / SHARE), SMALLEST), LARGEST);
}
