import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Fault } from '../../src/base/fault.ts';
import { readReport } from '../../src/load_test/read_report.ts';
import { shapedReport } from './shaped_report.ts';

const folder = mkdtempSync(join(tmpdir(), 'pharos-report-'));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'report.json');
const report = shapedReport({ perSecond: 10, p99: 20, refused: 1 });

function read(json: unknown): unknown {
  writeFileSync(file, JSON.stringify(json));
  return readReport(file);
}

/** Every place of a value that holds no object: `['audit', 'lost']`. */
function leaves(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]));
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === name ? replaced(each, rest, by) : each));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([own, member]) => [own, own === name ? replaced(member, rest, by) : member]),
  );
}

test('what a run writes is read again', () => {
  assert.deepEqual(read(report), report);
});

test('a member of another kind is refused by its name, wherever it stands', () => {
  const paths = leaves(report).filter((path) => path.join('.') !== 'format' && path[0] !== 'hostile');
  assert.ok(paths.length > 150, `${paths.length} members`);
  for (const path of paths)
    assert.throws(
      () => read(replaced(report, path, [])),
      (error) => error instanceof Fault && error.message.includes(`: ${path.join('.')} is no `),
      path.join('.'),
    );
});

test('a report of another version, and what is no report, are refused with what to do', () => {
  assert.throws(() => read({ ...report, format: 1 }), /another version of pharos: run the load again/);
  assert.throws(() => read({ format: 1, answeredPerSecond: 17 }), /another version of pharos: run the load again/);
  assert.throws(() => read([]), /it is no object; name another one/);
  writeFileSync(file, '<!doctype html>');
  assert.throws(() => readReport(file), /damaged, or no report of pharos load --json/);
});
