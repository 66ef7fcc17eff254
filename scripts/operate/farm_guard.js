// Ends the processes of a farm whose farm.js was killed: it can do nothing itself then. farm.js writes `+PID` and
// `-PID` into this one's stdin, a line for each that begins and ends; the stdin ends with farm.js, whatever ended that.
import { createInterface } from 'node:readline';

const pids = new Set();
for await (const line of createInterface({ input: process.stdin })) {
  const pid = Number(line.slice(1));
  if (line.startsWith('+')) pids.add(pid);
  else pids.delete(pid);
}
for (const pid of pids) {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}
