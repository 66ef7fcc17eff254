import { NodeRefusal, type Client } from '../../client/index.ts';

const MOST = 6;

/** A name that begins with what somebody has typed. */
export interface Suggestion {
  readonly kind: 'account' | 'application';
  readonly name: string;
}

/** Accounts and applications by the beginning of their names, in small letters as names are. */
export async function nameSuggestions(client: Client, typed: string): Promise<readonly Suggestion[]> {
  const start = typed.trim().replace(/^@\s*/, '').toLowerCase();
  if (start === '') return [];
  const [accounts, applications] = await Promise.all([
    unlessRefused(
      async () => (await client.call('database_api.list_accounts', { start, limit: MOST, order: 'by_name' })).accounts,
    ),
    unlessRefused(
      async () =>
        (await client.call('database_api.list_applications', { start, limit: MOST, order: 'by_name' })).applications,
    ),
  ]);
  return [
    ...accounts.map(({ name }) => ({ kind: 'account', name }) as const),
    ...applications.map(({ name }) => ({ kind: 'application', name }) as const),
  ].filter(({ name }) => name.startsWith(start));
}

/** No name begins with a text that can be none. */
async function unlessRefused<T>(question: () => Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof NodeRefusal) return [];
    throw error;
  }
}
