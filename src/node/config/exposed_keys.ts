import { readFileSync, statSync } from 'node:fs';

/** Read or written by others than its owner. */
const OF_OTHERS = 0o077;

/** Where keys that sign blocks can be seen by others on this machine, each with what to do about it. */
export function exposedKeys({ privateKey, config }: Readonly<Record<string, unknown>>): string[] {
  const notices: string[] = [];
  if (privateKey !== undefined)
    notices.push('private-key on the command line is shown to everybody on this machine by ps: use private-key-file');
  if (typeof config === 'string' && hasKey(config) && (statSync(config).mode & OF_OTHERS) !== 0)
    notices.push(`${config} has a private key, and others on this machine may read it: chmod 600 ${config}, or use private-key-file`);
  return notices;
}

function hasKey(path: string): boolean {
  return /^[ \t]*private-key[ \t]*=/m.test(readFileSync(path, 'utf8'));
}
