import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** For whom a password is looked up. */
export interface Login {
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
}

/** What the group and others may do with a file, which psql does not take passwords from then. */
const FOR_OTHERS = 0o077;

/** The password that psql would find: of `PGPASSFILE`, or of `.pgpass` at home. */
export function passwordInFile(login: Login, environment: NodeJS.ProcessEnv): string | undefined {
  const path = environment['PGPASSFILE'] ?? join(homedir(), '.pgpass');
  try {
    if ((statSync(path).mode & FOR_OTHERS) !== 0) return undefined;
    return passwordIn(readFileSync(path, 'utf8'), login);
  } catch {
    return undefined;
  }
}

/** Of the first line that fits: host, port, database, user and password behind colons, * for any. */
export function passwordIn(text: string, { host, port, database, user }: Login): string | undefined {
  const wanted = [host.startsWith('/') ? 'localhost' : host, port, database, user];
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith('#')) continue;
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(:|$)/g)].map(([, field = '']) => field.replaceAll(/\\(.)/g, '$1'));
    const [password = ''] = fields.slice(wanted.length);
    const fits = wanted.every((each, k) => fields[k] === '*' || fields[k] === each || (k === 0 && fields[k] === host));
    if (fits && password !== '') return password;
  }
  return undefined;
}
