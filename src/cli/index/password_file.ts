import { existsSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isCredential } from '../../system/owners_only.ts';
import { whyItFailed } from '../../system/system_error.ts';

/** For whom a password is looked up. */
export interface Login {
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
}

/** The password of a login in a password file. */
export interface FoundPassword {
  readonly password: string | undefined;
  /** Advice about the file for a login that the server refuses; '' when there is no file. */
  readonly advice: string;
}

/** Permissions of the group and others; psql takes no password from a file that has one of them. */
const FOR_OTHERS = 0o077;
const FIELDS = ['HOST', 'PORT', 'DATABASE', 'USER', 'PASSWORD'];

/** The password that psql would find: of `PGPASSFILE`, or of `.pgpass` at home. */
export function passwordInFile(login: Login, environment: NodeJS.ProcessEnv): FoundPassword {
  const named = environment['PGPASSFILE'];
  const path = named ?? join(homedir(), '.pgpass');
  if (!existsSync(path))
    return {
      password: undefined,
      advice: named === undefined ? '' : `there is no file ${path}, which PGPASSFILE names`,
    };
  try {
    if ((statSync(path).mode & FOR_OTHERS) !== 0 && !isCredential(path))
      return {
        password: undefined,
        advice: `no password is taken from ${path}, which others than its owner may read: chmod 600 ${path}`,
      };
    return findPassword(readFileSync(path, 'utf8'), path, login);
  } catch (error) {
    return { password: undefined, advice: `cannot read ${path}: ${whyItFailed(error)}` };
  }
}

function findPassword(text: string, path: string, login: Login): FoundPassword {
  const { password, line } = matchPassword(text, login);
  if (password !== undefined)
    return { password, advice: `the password is that of line ${line} of ${path}: correct it there` };
  const damaged = line === undefined ? '' : `, and line ${line} is not ${FIELDS.join(':')}`;
  const { host, port, database, user } = login;
  return {
    password: undefined,
    advice: `${path} has no line for ${host}:${port}:${database}:${user}${damaged}: write one`,
  };
}

/**
 * Of the first line that fits: host, port, database, user and password behind colons, * for any. Where none does, the
 * first line of another form.
 */
export function matchPassword(
  text: string,
  { host, port, database, user }: Login,
): { readonly password: string | undefined; readonly line: number | undefined } {
  const wanted = [host.startsWith('/') ? 'localhost' : host, port, database, user];
  let damagedLine: number | undefined;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.startsWith('#') || line === '') continue;
    const fields = [...line.matchAll(/((?:\\.|[^\\:])*)(:|$)/g)].map(([, field = '']) =>
      field.replaceAll(/\\(.)/g, '$1'),
    );
    const [password = ''] = fields.slice(wanted.length);
    const fits = wanted.every((each, k) => fields[k] === '*' || fields[k] === each || (k === 0 && fields[k] === host));
    if (fits && password !== '') return { password, line: index + 1 };
    if (password === '') damagedLine ??= index + 1;
  }
  return { password: undefined, line: damagedLine };
}
