import { readFileSync } from 'node:fs';

/** The name of a user of this machine, or its number where the system has no list of them. */
export function userName(uid: number): string {
  return nameIn(listOfUsers(), uid) ?? `user ${uid}`;
}

function nameIn(users: string, uid: number): string | undefined {
  const fields = users.split('\n').map((line) => line.split(':'));
  return fields.find(([, , number]) => number === String(uid))?.[0];
}

function listOfUsers(): string {
  try {
    return readFileSync('/etc/passwd', 'utf8');
  } catch {
    return '';
  }
}
