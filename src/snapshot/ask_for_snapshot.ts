import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { member } from '../client/chain_of_node.ts';
import { openConnection } from '../client/connect.ts';
import { syncFolder, UNFINISHED } from '../system/whole_file.ts';
import { onDisk } from '../system/system_error.ts';
import { requireFileSum } from './file_sum.ts';
import { inspectHeader } from './read_snapshot.ts';
import type { SnapshotHeader } from './snapshot_schema.ts';

/** A hundred million accounts; the node writes on, whoever asked. */
const CALL_MS = 2 * 60 * 60 * 1000;

/** The snapshot that the node has written. */
export interface AskedSnapshot {
  readonly header: SnapshotHeader;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Has a running node of this machine write a snapshot, and copies it to `out`, which is there when it is complete.
 * Rejects with the node's Refusal; Fault `configuration` when its file isn't found here.
 */
export async function askForSnapshot(url: string, out: string): Promise<AskedSnapshot> {
  const connection = openConnection(url, systemClock);
  try {
    const answer = await connection.call('snapshot_api.create_snapshot', {}, { timeoutMs: CALL_MS, repeatable: false });
    const [path, sha256] = [String(member(answer, 'path')), String(member(answer, 'sha256'))];
    if (!existsSync(path))
      throw new Fault('configuration', `the node has written ${path}, which is not on this machine: look for it there`);
    await copyWhole(path, out, sha256);
    return { header: inspectHeader(out), rows: Number(member(answer, 'rows')), bytes: Number(member(answer, 'bytes')) };
  } finally {
    connection.close();
  }
}

/** It may be removed meanwhile, or be another one: the sum tells. */
async function copyWhole(path: string, out: string, sha256: string): Promise<void> {
  const unfinished = `${out}${UNFINISHED}`;
  try {
    onDisk(`cannot write ${out}`, () => copyFileSync(path, unfinished));
    await requireFileSum(unfinished, sha256);
    onDisk(`cannot write ${out}`, () => {
      renameSync(unfinished, out);
      syncFolder(dirname(out));
    });
  } finally {
    rmSync(unfinished, { force: true });
  }
}
