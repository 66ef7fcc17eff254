import { readdirSync, readFileSync } from 'node:fs';
import { readLimits } from '../../../settings/limit_options.ts';
import { FEWEST_OPEN_FILES, parseLimit, reservedFiles } from '../../../system/open_files.ts';
import type { Check } from '../check.ts';
import { look, ok, wrong } from '../finding.ts';

const RAISE = 'raise it: LimitNOFILE= in the unit, or ulimit -n before the start';

/**
 * Checks the number of files and connections that may be open: in the process of the running node, otherwise in one
 * that is started from here.
 */
export const descriptors: Check = ({ values, holder }) => {
  const whose = holder === undefined ? 'a process started from here' : `process ${holder.pid}`;
  const most = descriptorLimit(holder?.pid ?? 'self');
  if (most === undefined) return [ok(`this system doesn't tell how many files ${whose} may open`)];
  const open = holder === undefined ? undefined : countOpen(holder.pid);
  const has = `${whose} may open ${most} files${open === undefined ? '' : ` and has ${open} open`}`;
  if (most < FEWEST_OPEN_FILES) return [wrong(`${has}, and a node needs ${FEWEST_OPEN_FILES} or more`, RAISE)];
  const room = most - reservedFiles(most);
  if (open !== undefined && open >= room)
    return [
      wrong(
        `${has}; the rest is kept for the database, so new connections are refused`,
        `${RAISE}; pharos top shows whose they are`,
      ),
    ];
  const { connections } = readLimits(values);
  return room < connections
    ? [look(`${has}; max-connections is ${connections}, and it takes ${room} at most`, RAISE)]
    : [ok(has)];
};

function descriptorLimit(process: number | 'self'): number | undefined {
  try {
    return parseLimit(readFileSync(`/proc/${process}/limits`, 'utf8'));
  } catch {
    return undefined; // not Linux, or another user's process
  }
}

function countOpen(process: number): number | undefined {
  try {
    return readdirSync(`/proc/${process}/fd`).length;
  } catch {
    return undefined;
  }
}
