import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { messageKinds } from '../../src/wire/messages/index.ts';
import { reasons, retryAfterSeconds } from '../../src/wire/reasons.ts';

const ROOM = new URL('../../../src/p2p/', import.meta.url);
const text = ['README.md', 'evidence.md'].map((name) => readFileSync(new URL(name, ROOM), 'utf8')).join('\n');
const protocol = readFileSync(new URL('../pages/reference/peer_protocol.md', ROOM), 'utf8');

/** Seconds until a peer may come again, by the reason. */
const retryAfter = new Map(Object.entries(retryAfterSeconds));

test('the reasons of goodbye are those that are sent', () => {
  const rows = Array.from(
    protocol.matchAll(/^\| (\d+) \| (\w+) \| ([\d ]+|never) \| [A-Za-z]/gm),
    ([, number, name, seconds = '']) => [Number(number), name, Number(seconds.replace('never', '0').replace(' ', ''))],
  );
  assert.deepEqual(
    rows,
    Object.entries(reasons).map(([name, number]) => [number, name, retryAfter.get(name)]),
  );
});

test('each file that is named is there', () => {
  const files = [...text.matchAll(/\]\(([\w/.]+)\)/g)].map(([, path = '']) => path);
  assert(files.length > 20);
  for (const path of files) assert(existsSync(new URL(path, ROOM)), path);
});

const SOURCES = fileURLToPath(new URL('../', ROOM));
const [, believed = ''] = /^## What a node believes[^\n]*\n([^]*?)\n## /m.exec(text) ?? [];
const rows = [...believed.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$/gm)].slice(1);
const claims = rows.map(([, says = '']) => says).join();

/** True when the section names a file: by a link of the network's rooms, or by its path in the sources. */
function isNamed(path: string): boolean {
  if (path.startsWith('p2p/')) return believed.includes(`](${path.slice('p2p/'.length)})`);
  return believed.includes(path.startsWith('wire/') ? `](../${path})` : `\`${path}\``);
}

function readSources(room: string): { readonly path: string; readonly source: string }[] {
  const names = readdirSync(join(SOURCES, room), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  return names.map((name) => ({ path: join(room, name), source: readFileSync(join(SOURCES, room, name), 'utf8') }));
}

test('whatever a peer can say stands in the table of what is believed; only questions claim nothing', () => {
  assert.ok(rows.length > 20);
  const unnamed = Object.values(messageKinds).filter(
    ({ name, price }) => price.payer !== 'asker' && !claims.includes(`\`${name}\``),
  );
  assert.deepEqual(
    unnamed.map(({ name }) => name),
    ['genesis_request'],
  );
});

/** Fields in which a peer keeps claims of the node behind it. */
const WORDS = [
  'hello',
  'status',
  'clockAheadMs',
  'pingMs',
  'takesPushes',
  'takesTransactions',
  'takesWords',
  'vouches',
  'relaysVotes',
  'farewell',
];
/** And what this node knows by itself. */
const OWN = ['isLive', 'isBusy', 'receipt'];

test('each file that reads what a peer has said is named there as its reader', () => {
  const peer = readFileSync(new URL('peers/peer.ts', ROOM), 'utf8');
  const getters = [...peer.matchAll(/^  get (\w+)\(/gm)].map(([, name]) => name);
  assert.deepEqual(
    new Set([...getters, 'farewell']),
    new Set([...WORDS, ...OWN]),
    'each getter of a peer is one or the other',
  );
  const reads = new RegExp(
    `\\bpeer\\??\\.(?:${WORDS.join('|')})\\b|\\{[^{}]*\\b(?:${WORDS.join('|')})\\b[^{}]*\\}\\) =>`,
  );
  const takes = /(?:router|turns)\.on\((\w+)/g;
  const kinds = new Map(
    Object.values(messageKinds).map(({ name, price }) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      price,
    ]),
  );
  const unnamed = ['p2p', 'wire'].flatMap(readSources).filter(({ path, source }) => {
    const taken = [...source.matchAll(takes)].map(([, kind = '']) => kinds.get(kind)?.payer ?? 'asker');
    return (reads.test(source) || taken.some((payer) => payer !== 'asker')) && !isNamed(path);
  });
  assert.deepEqual(
    unnamed.map(({ path }) => path),
    [],
  );
});

/** The decisions of the standing. */
const DECIDED = /(?<!#)\b(?:isSynced|behindBy|inStep|isBehind)\b/;
/** Types, what passes it on, and what only shows it. */
const SHOWN = [
  ...[
    'front',
    'start_node',
    'network_messages',
    'network_metrics',
    'network_operations',
    'sync_progress',
    'node_watch',
    'top_page',
    'messages',
  ],
];

test('each file outside of the room that acts on what standing decides is named there', () => {
  const readers = ['node', 'verifiers', 'production', 'voting', 'witness']
    .flatMap(readSources)
    .filter(({ source }) => DECIDED.test(source));
  const unnamed = readers.filter(({ path }) => !isNamed(path) && !SHOWN.includes(basename(path, '.ts')));
  assert.deepEqual(
    unnamed.map(({ path }) => path),
    [],
  );
  assert.ok(readers.length > SHOWN.length);
});

/** The attacks that the room is tested for. */
const ATTACKS = [
  ...[
    /half-open TLS/,
    /slow readers/,
    /colliding short ids/,
    /eclipse of the address book/,
    /forged snapshot/,
    /`p2p-trusted-node`/,
  ],
  ...[/checkpoints that contradict/, /signer process that two nodes use/, /`restart-chain` on both halves/],
  ...[/floods of one kind each/, /connections above the limits/, /floods of finality/],
];

test('each attack that was tried is in a table with what happened, and names the tests that try it again', () => {
  const [, tried = ''] = /^## What a hostile peer was tried for\n([^]*)/m.exec(text) ?? [];
  const attacks = [...tried.matchAll(/^\| (.+?) \| (.+?) \| (.+?) \|$/gm)].slice(1);
  const named = new Map(
    attacks.map(([row, attack = '']) => [attack, [...row.matchAll(/`((?:\w+\/)+\w+)`/g)].map(([, path = '']) => path)]),
  );
  for (const attack of ATTACKS) {
    const row = [...named].find(([name]) => attack.test(name));
    assert.ok(row !== undefined && row[1].length > 0, String(attack));
  }
  const tests = fileURLToPath(new URL('../../test/', ROOM));
  const missing = [...named.values()]
    .flat()
    .filter((path) => !['', '.long'].some((form) => existsSync(join(tests, `${path}${form}.test.ts`))));
  assert.deepEqual(missing, []);
});
