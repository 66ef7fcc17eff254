import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from '../../src/base/assert.ts';
import { profileNamed } from '../../src/settings/chain_settings.ts';
import { devAccounts, devSecret } from '../../src/dev_chain/dev_genesis.ts';
import { fetchFacts } from '../../src/load_test/chain_facts.ts';
import { readThreadCpuMicros } from '../../src/load_test/process_cpu.ts';
import { signInThreads } from '../../src/load_test/sign_in_threads.ts';
import { against, row, type BenchOptions, type Row } from '../bench.ts';
import { DevNode } from '../dev_node.ts';
import { post } from '../posts.ts';

const CLIENT = { connections: 24, atOnce: 1 };
const LEAST_SHARE = 0.6;
const BATCH = 100;
/** Two blocks. */
const REST_MS = 1200;

type Tree = null | boolean | number | string | readonly Tree[] | { readonly [member: string]: Tree };

/** One way to write the same transfers. */
interface Form {
  readonly name: string;
  readonly memo?: string;
  /** Against which form it counts; the first when left out. */
  readonly than?: string;
  readonly write: (posted: Tree) => string;
}

const asIs = (posted: Tree): string => JSON.stringify(posted);
const ASCII = 'plain memos';

/** As a stranger writes: nothing of the project's own writers is used. */
const FORMS: readonly Form[] = [
  { name: 'as declared', write: asIs },
  { name: 'members backwards', write: (posted) => JSON.stringify(mapped(posted, (_, value) => backwards(value))) },
  { name: '{type, value}', write: (posted) => JSON.stringify(mapped(posted, (name, value) => typed(name, value, ''))) },
  {
    name: '{type, value} with the suffix',
    write: (posted) => JSON.stringify(mapped(posted, (name, value) => typed(name, value, '_operation'))),
  },
  { name: 'amounts as objects', write: (posted) => JSON.stringify(mapped(posted, amountObject)) },
  { name: 'indented', write: (posted) => JSON.stringify(posted, null, 2) },
  { name: ASCII, memo: 'invoice {number}, thank you', write: asIs },
  { name: 'memos with escapes', memo: 'a "quoted" word\\nand {number}', than: ASCII, write: asIs },
  { name: 'memos in UTF-8', memo: 'Grüße, 支払い {number} ☕', than: ASCII, write: asIs },
  {
    name: 'memos in \\u escapes',
    memo: 'Grüße, 支払い {number} ☕',
    than: ASCII,
    write: (posted) => escaped(JSON.stringify(posted)),
  },
];

/**
 * The same transfers as different programs write them, in posts of 100: what each form costs the node, against the
 * declared one.
 */
export async function run({ quick }: BenchOptions): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'pharos-bench-'));
  const node = await DevNode.start({ blockIntervalMs: 500, largeBlocks: !quick });
  try {
    const file = join(folder, 'posts');
    const rows = new Map<string, Row>();
    for (const form of quick ? FORMS.slice(1, 3) : FORMS) {
      const rounds: Row[] = [];
      for (let round = 0; round < (quick ? 1 : 3); round++)
        rounds.push(await measureRow(node, form, quick ? BATCH : 10_000, file));
      const best = (quick ? rounds : rounds.slice(1)).reduce((a, b) => (b.perCpuSecond > a.perCpuSecond ? b : a));
      const baseline = rows.get(formName(form.than ?? 'as declared'));
      rows.set(
        best.name,
        baseline === undefined ? best : { ...against(best, baseline), budget: { ratio: LEAST_SHARE } },
      );
    }
    return [...rows.values()];
  } finally {
    await node.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

const formName = (form: string): string => `form: ${form}`;

async function measureRow(node: DevNode, form: Form, count: number, file: string): Promise<Row> {
  writeFileSync(file, (await posts(node, form, count)).join('\n'));
  const [before, threadsBefore] = [node.cpuMicros(), readThreadCpuMicros(node.pid)];
  await post(node, CLIENT, count / BATCH, `@${file}`);
  await sleep(REST_MS);
  const cpuMicros = node.cpuMicros() - before;
  const used = [...readThreadCpuMicros(node.pid)].map(([id, micros]) => micros - (threadsBefore.get(id) ?? 0));
  const [main = 0, ...others] = used;
  const threads = [main, ...others.sort((a, b) => b - a)].slice(0, 3).map((micros) => (micros / count).toFixed(1));
  const note = `posts of ${BATCH}, µs of front, verifier and writer: ${threads.join(', ')}`;
  return row(formName(form.name), 'signed transfer, HTTP in to synced block', { work: count, cpuMicros }, { note });
}

/** Lines of posts that the node takes: the first of them is tried before. */
async function posts({ client, url }: DevNode, { memo = '', write }: Form, count: number): Promise<string[]> {
  const { chainId, head, fee } = await fetchFacts(client, profileNamed('default'));
  const bodies = await signInThreads(
    {
      profileName: 'default',
      chainId,
      fee,
      senders: devAccounts.map((name) => ({ name, secret: devSecret(name) })),
      referenceBlockId: head.id,
      expiration: head.time + 3000,
      firstAmount: BigInt(randomInt(2 ** 32)) + 1n,
      memo,
      first: 0,
      count: count + BATCH,
      batch: BATCH,
    },
    1,
    () => {},
  );
  // A line is a post, so what is indented has to do without line ends.
  const [tried = '', ...lines] = bodies.map(({ body }) => write(parseTree(body)).replaceAll('\n', '\t'));
  const answer = await (await fetch(url, { method: 'POST', body: tried })).text();
  assert(!answer.includes('"error"'), `the node takes this form: ${answer.slice(0, 500)}`);
  return lines;
}

function parseTree(body: Uint8Array): Tree {
  const tree: unknown = JSON.parse(Buffer.from(body).toString());
  assert(isTree(tree), 'a post is JSON');
  return tree;
}

/** Accepts whatever JSON.parse returns. */
function isTree(value: unknown): value is Tree {
  return value !== undefined;
}

/** The tree with each member changed, the innermost first; those of arrays have no name. */
function mapped(tree: Tree, change: (name: string, value: Tree) => Tree, name = ''): Tree {
  if (isList(tree))
    return change(
      name,
      tree.map((element) => mapped(element, change)),
    );
  if (typeof tree !== 'object' || tree === null) return change(name, tree);
  return change(
    name,
    Object.fromEntries(Object.entries(tree).map(([member, value]) => [member, mapped(value, change, member)])),
  );
}

function isList(tree: Tree): tree is readonly Tree[] {
  return Array.isArray(tree);
}

function backwards(value: Tree): Tree {
  return typeof value !== 'object' || value === null || isList(value)
    ? value
    : Object.fromEntries(Object.entries(value).reverse());
}

function typed(name: string, value: Tree, suffix: string): Tree {
  if (name !== 'operations' || !isList(value)) return value;
  return value.map((pair) => (isList(pair) ? { type: `${String(pair[0])}${suffix}`, value: pair[1] ?? null } : pair));
}

function amountObject(name: string, value: Tree): Tree {
  if (name !== 'amount' || typeof value !== 'string') return value;
  const [amount = '', symbol = ''] = value.split(' ');
  return { amount, symbol };
}

const escaped = (text: string): string =>
  text.replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
