import { totalmem } from 'node:os';

const MEBIBYTE = 1024 * 1024;
const SHARE = 8; // of the machine's memory: the rest is for the heap, buffers and the system's own cache of files
const SMALLEST = 256 * MEBIBYTE;
/** What a million accounts take, all their rows; more is for whoever asks for it. */
const LARGEST = 1024 * MEBIBYTE;

/** Bytes of the database's files that a node keeps in memory when nobody says how many: a part of what the machine has. */
export function defaultCacheBytes(machineBytes = totalmem()): number {
  return Math.min(Math.max(Math.trunc(machineBytes / SHARE), SMALLEST), LARGEST);
}
