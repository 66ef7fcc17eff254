import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { messageTable, withTables } from '../../../src/pages/docs/tables.ts';
import { messageKinds } from '../../../src/wire/messages/index.ts';
import { project } from './built.ts';

test('the page of the peer protocol has a row for each kind of message, with its number, lane, limit and layout', () => {
  const source = readFileSync(new URL('src/pages/reference/peer_protocol.md', project), 'utf8');
  const page = withTables(source, { messages: messageTable(messageKinds) });
  const rows = [...page.matchAll(/^\| (\d+) \| (\w+) \| [0-3](?:, above \d+ KiB [0-3])? \| [\d ]+ \| .+ \|$/gm)];
  assert.deepEqual(
    rows.map(([, number, name]) => [Number(number), name]),
    Object.entries(messageKinds).map(([number, { name }]) => [Number(number), name]),
  );
  assert.match(page, /^\| 9 \| missing \| 1, above 256 KiB 3 \| 50 335 744 \| block id, list ≤ 32 768 of /m);
  const titles = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title);
  const anchors = new Set(titles.map((title) => title.toLowerCase().replaceAll(' ', '-')));
  for (const { name, layout } of Object.values(messageKinds))
    for (const [, anchor = ''] of layout.matchAll(/\]\(#([^)]*)\)/g)) assert(anchors.has(anchor), `${name}: ${anchor}`);
});

test('a place whose table nobody makes is an error', () => {
  assert.throws(() => withTables('# A page\n\n<!-- table: planets -->\n', { messages: '' }), /planets/);
});
