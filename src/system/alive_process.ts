import { systemErrorCode } from './system_error.ts';

/** True when a process with that id is alive, of whichever user. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}
