import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const FOLDER = new URL('../../../src/operations/', import.meta.url);

test('no field of an operation is read by what lies in state/: a client has nothing of that room, and signs all kinds', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.ts'));
  let declared = 0;
  for (const name of files) {
    const source = readFileSync(new URL(name, FOLDER), 'utf8');
    const [, fields] = /^ {2}fields: ([^]*?)\n {2}\w+:/m.exec(source) ?? [];
    if (fields === undefined) continue;
    declared++;
    const imports = source.matchAll(/^import \{([^}]*)\} from '\.\.\/(?:state|storage)\//gm);
    const names = [...imports].flatMap(([, list = '']) => list.match(/\w+/g) ?? []);
    const read = names.filter((each) => new RegExp(`\\b${each}\\b`).test(fields));
    assert.deepEqual(read, [], name);
  }
  assert.ok(declared > 25, `${declared} kinds`);
});
