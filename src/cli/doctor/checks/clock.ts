import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Check } from '../check.ts';
import { oldHead } from '../../witness/old_head.ts';
import { look, ok, wrong } from '../finding.ts';

/** Clocks of honest machines, and the times of a file system, differ by less. */
const NEAR_SECONDS = 2;
/** On a machine with systemd it takes none. */
const ANSWER_MS = 2000;
const ADVICE = 'set it right, best by NTP (timedatectl set-ntp true): blocks that are made at wrong times nobody takes';

/** Compares this machine's clock with blocks that come, and with when the newest file of the chain was written. */
export const clock: Check = async ({ running, dataFolder }) => {
  const offset = running?.clockOffsetSeconds ?? 0;
  if (offset !== 0)
    return [
      wrong(`it is ${Math.abs(offset)} seconds ${offset > 0 ? 'ahead of' : 'behind'} the times of blocks`, ADVICE),
    ];
  const ahead = newestFile(dataFolder) - Date.now() / 1000;
  if (ahead > NEAR_SECONDS)
    return [
      wrong(
        `the newest file in ${dataFolder} was written ${Math.round(ahead)} seconds from now: the clock is behind, or was ahead`,
        ADVICE,
      ),
    ];
  const unkept = await whyNotKept();
  if (unkept !== undefined) return [look(unkept, ADVICE)];
  if (running === undefined)
    return [ok('nothing says that it is wrong; a node that runs compares it with its peers and with blocks')];
  if (running.setsOwnTime) return [ok('the chain sets its own time, so its blocks say nothing about this clock')];
  const old = oldHead(running.headAgeSeconds);
  if (old !== undefined)
    return [
      look(
        `the head block is ${old}`,
        'compare it with another clock (date -u); if it is right, see why no blocks come',
      ),
    ];
  return [ok('it agrees with the times of blocks')];
};

/**
 * Returns why the clock is not synchronised, as systemd reports it of any NTP program; undefined when all is well, and
 * without systemd.
 */
async function whyNotKept(): Promise<string | undefined> {
  const said = await runProgram('timedatectl', ['show', '--property=NTP', '--property=NTPSynchronized']);
  if (!/^NTPSynchronized=no$/m.test(said)) return undefined;
  return /^NTP=yes$/m.test(said)
    ? 'NTP is on, and has not set it: no server was reached yet'
    : 'nothing keeps it right: NTP is off';
}

async function runProgram(program: string, words: readonly string[]): Promise<string> {
  return await new Promise((resolve) => {
    execFile(program, words, { timeout: ANSWER_MS }, (error, stdout) => resolve(error === null ? stdout : ''));
  });
}

/** Seconds of the epoch; 0 without a file. */
function newestFile(folder: string): number {
  try {
    const times = readdirSync(folder).map(
      (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    );
    return Math.max(0, ...times) / 1000;
  } catch {
    return 0; // there is none yet, or the check of the folder says what is wrong with it
  }
}
