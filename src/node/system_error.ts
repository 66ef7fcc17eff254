import { Fault } from '../base/fault.ts';

/** What the system said no with, such as `ENOSPC`; undefined for any other error. */
export function systemCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Calls the system; what it refuses is a Fault `disk` that begins with `what` could not be done. */
export function onDisk<T>(what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = systemCodeOf(error);
    if (code === undefined) throw error;
    throw new Fault('disk', `${what}: ${reasons[code] ?? ''}${error instanceof Error ? error.message : code}`, error);
  }
}

/** What the codes mean that an operator meets; the system's own words stand behind. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not; ',
  EPERM: 'this user may not; ',
  EROFS: 'the disk is read-only; ',
  ENOSPC: 'the disk is full; ',
  EDQUOT: 'the disk quota is used up; ',
  EEXIST: 'there is a file of that name; ',
  ENOTDIR: 'a part of the path is a file; ',
  EMFILE: 'this process may open no more files (ulimit -n); ',
  ENFILE: 'the system may open no more files; ',
};
