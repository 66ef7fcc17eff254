import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { userInfo } from 'node:os';
import { after, before, test } from 'node:test';
import { guideIn, guideNamed, type Guide } from '../pages/guides/guide.ts';
import { Reader } from '../pages/guides/reader.ts';
import { waitFor } from '../outside/wait_for.ts';
import { project } from './commands.ts';
import { PostgresServer } from './postgres.ts';

// What README and the guide to SQL say of an index, typed as it stands there. Their queries are asked in
// postgres_index.test.ts.

let server: PostgresServer;

before(async () => {
  server = await PostgresServer.start();
  await server.query('postgres', `CREATE ROLE "${userInfo().username}" LOGIN CREATEDB`);
});

after(async () => await server.stop());

async function typed(guide: Guide, answer: RegExp): Promise<void> {
  const reader = await Reader.following(guide, server.environment);
  try {
    const [start = '', create = '', index = '', ask = '', ...more] = reader.guide.commands;
    assert.deepEqual(more, []);
    await reader.start(start, /^block 2 /m);
    await reader.run(create);
    await reader.start(index, /"indexing"/);
    await waitFor(`an answer to ${ask}`, async () => (answer.test(await reader.run(ask)) ? true : undefined));
  } finally {
    await reader.leave();
    await server.query('postgres', 'DROP DATABASE chain WITH (FORCE)');
  }
}

test('the recipe of README: a database, an index of a development chain, and the statement of an account', async () => {
  const readme = readFileSync(join(project, 'README.md'), 'utf8');
  const part = /^## Questions in SQL\n([^]*?)^## /m.exec(readme)?.[1] ?? assert.fail('README has no such part');
  await typed(guideIn(part), /genesis +\| +(\d+\.\d{6}) \| +\1\n/);
});

test('the beginning of the guide to SQL does what it says', async () =>
  await typed(guideNamed('sql'), /head_block_number[^]*\n +[1-9]\d* \|[^]*\(1 row\)/));
