import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { sections } from './sections.ts';
import { registered } from './registered.ts';
import { unchecked } from './unchecked.ts';
import { digestOfUnit, splitUnits, type Unit } from './units.ts';

const project = new URL('../../../', import.meta.url);
/** The text lies beside a clone where it is at hand; elsewhere the register stands for it. */
const textFile = new URL('../shared/interface.md', project);

const words = new Map(
  Object.entries(registered).map(([title, entries]) => [
    title,
    new Map(entries.map(([digest, quoted]) => [quoted, digest])),
  ]),
);
const total = [...words.values()].reduce((sum, entries) => sum + entries.size, 0);
const checkedWords = new Set(sections.flatMap(({ title, lines }) => lines.map(({ text }) => named(title, text))));
const reasons = new Map(
  Object.entries(unchecked).flatMap(([title, some]) =>
    Object.keys(some).map((text) => [named(title, text), title] as const),
  ),
);
const figures = `${total} sentences and rows, ${checkedWords.size} checked, ${reasons.size} not`;

function named(title: string, text: string): string {
  return `${title || 'introduction'}: ${text}`;
}

describe('the tables and the text', () => {
  test('every line quotes words of the register', () => {
    const known = new Set(
      [...words].flatMap(([title, entries]) => [...entries.keys()].map((text) => named(title, text))),
    );
    assert.deepEqual(
      [...checkedWords, ...reasons.keys()].filter((text) => !known.has(text)),
      [],
    );
  });

  test('every sentence and row is looked at, or has a reason why not, and not both', () => {
    const all = [...words].flatMap(([title, entries]) => [...entries.keys()].map((text) => named(title, text)));
    assert.deepEqual(
      all.filter((text) => checkedWords.has(text) === reasons.has(text)),
      [],
    );
  });

  test('the register is the text, sentence by sentence', () => {
    if (!existsSync(textFile)) return;
    const units = splitUnits(readFileSync(textFile, 'utf8'));
    const entries = [...words].flatMap(([title, some]) =>
      [...some].map(([quoted, digest]) => ({ title, quoted, digest })),
    );
    assert.deepEqual(
      units
        .filter((unit) => entries.filter((entry) => belongsToUnit(unit, units, entry)).length !== 1)
        .map((unit) => `${digestOfUnit(unit)} ${named(unit.title, unit.text)}`),
      [],
      'sentences of the text that the register does not have, as they are, once',
    );
    assert.equal(entries.length, units.length, 'the register has entries that the text does not have');
  });

  test('test/README.md names the same figures', () => {
    const page = readFileSync(new URL('test/README.md', project), 'utf8').replaceAll(/\s+/g, ' ');
    assert.ok(page.includes(figures), `test/README.md does not say: ${figures}`);
  });

  test('and how many there are', (context) => {
    assert.equal(checkedWords.size + reasons.size, total);
    context.diagnostic(`the interface: ${figures} (test/interface/unchecked.ts)`);
  });
});

/** True when a unit is the origin of an entry, and the only one of its section that its words fit. */
function belongsToUnit(
  unit: Unit,
  units: readonly Unit[],
  entry: { readonly title: string; readonly quoted: string; readonly digest: string },
): boolean {
  if (entry.digest !== digestOfUnit(unit) || entry.title !== unit.title) return false;
  if (unit.cells !== undefined) return entry.quoted === unit.cells;
  const fitting = units.filter(
    ({ title, cells, text }) => title === unit.title && cells === undefined && text.includes(entry.quoted),
  );
  return fitting.length === 1 && fitting[0] === unit;
}
