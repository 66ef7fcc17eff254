import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { after, before, test } from 'node:test';
import { Reader } from '../pages/guides/reader.ts';
import { waitUntil } from '../outside/wait_until.ts';
import { PostgresServer } from './postgres.ts';

// Types the commands of the guide to SQL. Its queries are asked in postgres_index.test.ts.

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.start();
  await server.query('postgres', `CREATE ROLE "${userInfo().username}" LOGIN CREATEDB`);
});

after(async () => await server.stop());

test('the beginning of the guide to SQL does what it says: an index of a development chain, and a statement', async () => {
  const reader = await Reader.of('sql', server.environment);
  const answers = async (ask: string, answer: RegExp): Promise<true> =>
    await waitUntil(`an answer to ${ask}`, async () => (answer.test(await reader.run(ask)) ? true : undefined));
  try {
    const [start = '', create = '', index = '', lag = '', statement = '', ...more] = reader.guide.commands;
    assert.deepEqual(more, []);
    await reader.start(start, /^block 2 /m);
    await reader.run(create);
    await reader.start(index, /"indexing"/);
    await answers(lag, /head_block_number[^]*\n +[1-9]\d* \|[^]*\(1 row\)/);
    await answers(statement, /genesis +\| +(\d+\.\d{6}) \| +\1\n/);
  } finally {
    await reader.leave();
    await server.query('postgres', 'DROP DATABASE chain WITH (FORCE)');
  }
});
