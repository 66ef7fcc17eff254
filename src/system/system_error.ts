import { errorMessage } from '../base/error_message.ts';
import { Fault } from '../base/fault.ts';

/** The error code of a failed system call, such as `ENOSPC`; undefined for any other error. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Makes a system call; when it fails, throws a Fault `disk` whose message begins with `what`. */
export function onDisk<T>(what: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    throw new Fault('disk', `${what}: ${whyItFailed(error)}`, error);
  }
}

/** Explains a failed system call to the owner of the file. */
export function whyItFailed(error: unknown): string {
  return `${reasons[systemErrorCode(error) ?? ''] ?? ''}${errorMessage(error)}`;
}

/** Explanations of the codes that operators meet; the system's own message follows. */
const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not; ',
  EPERM: 'this user may not; ',
  EROFS: 'the disk is read-only; ',
  ENOSPC: 'the disk is full; ',
  EDQUOT: 'the disk quota is used up; ',
  EEXIST: 'there is a file of that name; ',
  EISDIR: 'it is a folder; ',
  ENOTDIR: 'a part of the path is a file; ',
  EMFILE: 'this process may open no more files (ulimit -n); ',
  ENFILE: 'the system may open no more files; ',
};
