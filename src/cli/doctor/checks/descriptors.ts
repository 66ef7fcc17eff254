import { readdirSync, readFileSync } from 'node:fs';
import { limitsOf } from '../../../settings/limit_options.ts';
import { FEWEST_OPEN_FILES, limitIn, reservedOf } from '../../../system/open_files.ts';
import type { Check } from '../check.ts';
import { look, ok, wrong } from '../finding.ts';

const RAISE = 'raise it: LimitNOFILE= in the unit, or ulimit -n before the start';

/**
 * How many files and connections may be open: in the process of the node that runs, otherwise in one that is started
 * from here.
 */
export const descriptors: Check = ({ values, holder }) => {
  const whose = holder === undefined ? 'a process started from here' : `process ${holder.pid}`;
  const most = limitOf(holder?.pid ?? 'self');
  if (most === undefined) return [ok(`this system doesn't tell how many files ${whose} may open`)];
  const open = holder === undefined ? undefined : openIn(holder.pid);
  const has = `${whose} may open ${most} files${open === undefined ? '' : ` and has ${open} open`}`;
  if (most < FEWEST_OPEN_FILES) return [wrong(`${has}, and a node needs ${FEWEST_OPEN_FILES} or more`, RAISE)];
  const room = most - reservedOf(most);
  if (open !== undefined && open >= room)
    return [
      wrong(
        `${has}; the rest is kept for the database, so new connections are refused`,
        `${RAISE}; pharos top shows whose they are`,
      ),
    ];
  const { connections } = limitsOf(values);
  return room < connections
    ? [look(`${has}; max-connections is ${connections}, and it takes ${room} at most`, RAISE)]
    : [ok(has)];
};

function limitOf(process: number | 'self'): number | undefined {
  try {
    return limitIn(readFileSync(`/proc/${process}/limits`, 'utf8'));
  } catch {
    return undefined; // not Linux, or another user's process
  }
}

function openIn(process: number): number | undefined {
  try {
    return readdirSync(`/proc/${process}/fd`).length;
  } catch {
    return undefined;
  }
}
