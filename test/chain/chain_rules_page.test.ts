import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { shuffled } from '../../src/chain/apply/shuffle.ts';
import { operationKinds } from '../../src/operations/index.ts';
import type { Operation, OperationKind } from '../../src/operations/operation.ts';
import { hardforks } from '../../src/state/hardforks.ts';
import { timeText } from '../../src/values/time.ts';
import { versionText } from '../../src/values/version.ts';
import { encoding } from '../builders/chain.ts';

const page = readFileSync(new URL('../../../src/pages/reference/chain_rules.md', import.meta.url), 'utf8');

/** The page tells the rules up to this hardfork; that of a later one stands in the changelog and its declarations. */
const LAST_ON_PAGE = hardforks.bandwidth.id;
const isOnPage = ({ since }: Pick<OperationKind, 'since'>): boolean => (since?.id ?? 0) <= LAST_ON_PAGE;

/** The cells of the table rows that match, without the first and last bar. */
function rows(what: RegExp): string[][] {
  return Array.from(page.matchAll(what), ([row]) => row.split('|').map((cell) => cell.trim())).map((cells) =>
    cells.slice(1, -1),
  );
}

test('the page of the chain rules has every operation with its number', () => {
  assert.deepEqual(
    rows(/^\| \d+ \| `\w+` \|.*$/gm).map(([number, name]) => [number, name]),
    Object.entries(operationKinds).flatMap(([number, kind]) => (isOnPage(kind) ? [[number, `\`${kind.name}\``]] : [])),
  );
});

/** An operation in which each account that a text names has the name of its member. */
function namedOperation(kind: OperationKind, text: string): Operation {
  const body = kind.initial(encoding).bodyToJson(encoding);
  assert.ok(typeof body === 'object' && body !== null && !Array.isArray(body));
  const named = Object.keys(body).filter(
    (member) => typeof body[member] === 'string' && text.includes(`\`${member}\``),
  );
  return kind.bodyFromJson({ ...body, ...Object.fromEntries(named.map((name) => [name, name])) }, encoding);
}

const sources = new URL('../../../src/operations/', import.meta.url);

test('its table of operations says who signs, who pays, how much, and which ones a private net refuses', () => {
  const table = rows(/^\| \d+ \| `\w+` \| [^|]+ \| \w+ \| [^|]+ \|$/gm);
  assert.equal(table.length, Object.values(operationKinds).filter((kind) => !kind.isVirtual && isOnPage(kind)).length);
  for (const [number, , signers = '', fee, isPrivate] of table) {
    const kind = operationKinds[Number(number)];
    assert.ok(kind !== undefined);
    const operation = namedOperation(kind, signers);
    const { active = [], owner = [], other = [] } = operation.authorities();
    const said = [...active.map((name) => `active \`${name}\``), ...owner.map((name) => `owner \`${name}\``)];
    assert.ok(
      other.length > 0 ? signers.startsWith('other: ') : said.some((name) => signers.includes(name)),
      kind.name,
    );
    const [, payer = [...active, ...owner][0]] = /Fee account `(\w+)`/.exec(signers) ?? [];
    assert.equal(operation.feeAccount(), payer, kind.name);
    const rule = operation.feeRule();
    assert.equal(typeof rule === 'string' ? rule.replace('free', '0') : 'size', fee, kind.name);
    const isRefused = readFileSync(new URL(`${kind.name}.ts`, sources), 'utf8').includes('refuseInPrivateNet(state)');
    assert.equal(isPrivate === 'no', isRefused, kind.name);
  }
});

test('its examples of a shuffle are those of the chain', () => {
  const examples = rows(/^\| \d+ \| \d{10} \|.*$/gm);
  assert.equal(examples.length, 3);
  for (const [count, time, order] of examples) {
    const places = Array.from({ length: Number(count) }, (_, place) => place);
    assert.equal(shuffled(places, Number(time)).join(' '), order);
  }
});

test('it has every hardfork with its version and time', () => {
  assert.deepEqual(
    rows(/^\| \d \| \d\.\d\.\d \|.*$/gm).map(([id, version, time]) => [id, version, time]),
    Object.values(hardforks)
      .slice(0, LAST_ON_PAGE)
      .map(({ id, version, time }) => [String(id), versionText(version), timeText(time)]),
  );
});
