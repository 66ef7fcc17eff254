import assert from 'node:assert/strict';
import { DISK_FORMAT } from '../../src/state/head_record.ts';
import { readIdentity, writeIdentity } from '../../src/data_folder/identity.ts';

/** Makes a data folder one of a format so many versions away; 0 is that of this program. */
export function setFormat(folder: string, versionsAway: number): void {
  const identity = readIdentity(folder);
  assert.ok(identity?.state === 'complete');
  writeIdentity(folder, { ...identity, diskFormat: DISK_FORMAT + versionsAway });
}
