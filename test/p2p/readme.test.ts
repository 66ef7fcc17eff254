import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

import { messageKinds } from '../../src/p2p/messages/index.ts';
import { reasons } from '../../src/p2p/reasons.ts';

const ROOM = new URL('../../../src/p2p/', import.meta.url);
const text = readFileSync(new URL('README.md', ROOM), 'utf8');

test('the table of messages is the register: numbers, names, lanes and limits', () => {
  const rows = [...text.matchAll(/^\| (\d+) \| (\w+) \| ([^|]+) \| ([\d ]+) \|/gm)].map(([, number, name, lane, bytes]) => [
    Number(number),
    name,
    lane,
    Number(bytes?.replaceAll(' ', '')),
  ]);
  const registered = Object.entries(messageKinds).map(([number, { name, lane, mostBytes, large }]) => [
    Number(number),
    name,
    large === undefined ? String(lane) : `${lane}, above ${mostBytes / 1024} KiB ${large.lane}`,
    large?.mostBytes ?? mostBytes,
  ]);
  assert.deepEqual(rows, registered);
});

test('the reasons of goodbye are those that are sent', () => {
  const [, list = ''] = /\*\*Reasons of goodbye\.\*\*([^*]+)\./.exec(text.replaceAll('\n', ' ')) ?? [];
  assert.deepEqual(
    [...list.matchAll(/(\d+) [a-z]/g)].map(([, number]) => Number(number)),
    Object.values(reasons),
  );
});

test('each file that is named is there', () => {
  const files = [...text.matchAll(/\]\(([\w/.]+)\)/g)].map(([, path = '']) => path);
  assert(files.length > 20);
  for (const path of files) assert(existsSync(new URL(path, ROOM)), path);
});
