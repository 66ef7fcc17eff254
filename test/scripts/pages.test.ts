import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { floors } from '../../scripts/layers.js';

const root = new URL('../../../', import.meta.url);

function readText(path: string): string {
  return readFileSync(new URL(path, root), 'utf8');
}

/** A link to a file of the repository, and the steps in that file that the text behind it names. */
interface Link {
  readonly target: string;
  readonly steps: readonly string[];
}

function listLinks(page: string, text = readText(page)): Link[] {
  const pieces = text.split(/\]\((?=[^)#:]+(?:#[^)]*)?\))/).slice(1);
  return pieces.map((piece) => {
    const [, target = ''] = /^([^)#]+)/.exec(piece) ?? [];
    return {
      target: new URL(target, new URL(page, root)).pathname,
      steps: [...piece.matchAll(/`#?(\w+)`/g)].map(([, step]) => step ?? ''),
    };
  });
}

for (const page of ['README.md', 'src/README.md']) {
  test(`every file that ${page} links to is there`, () => {
    const links = listLinks(page);
    assert.ok(links.length > 5, 'the page has links');
    for (const { target } of links) assert.ok(existsSync(target), target);
  });
}

test('every step of the two stories is a function of the file before it', () => {
  const [, text = ''] = /(## The story of a broadcast[^]*?)## A read/.exec(readText('src/README.md')) ?? [];
  const steps = listLinks('src/README.md', text).flatMap(({ target, steps: named }) =>
    named.map((step) => ({ target, step })),
  );
  assert.ok(steps.length > 15, 'the stories have steps');
  for (const { target, step } of steps) {
    const isFunction = new RegExp(String.raw`(?:function |^\s+(?:async )?#?)${step}[(<]`, 'm').test(
      readFileSync(target, 'utf8'),
    );
    assert.ok(isFunction, `${step} in ${target}`);
  }
});

test('the picture of the rooms shows each folder of src, on the floor where the rules have it', () => {
  const [, picture = ''] = /## The rooms of `src`\n[^]*?```\n([^]*?)```/.exec(readText('README.md')) ?? [];
  const shown = [...picture.matchAll(/^ (?:\d| ) ((?:\w+ )+) /gm)].flatMap(([, rooms = '']) => rooms.trim().split(' '));
  const rooms = readdirSync(new URL('src/', root), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  assert.deepEqual(shown.toSorted(), rooms.map(({ name }) => name).toSorted(), 'each room stands in the picture');
  const order = Object.keys(floors).filter((room) => shown.includes(room));
  assert.deepEqual(shown, order, 'in the order of the floors');
});

test('what scripts import of the program is there', () => {
  const scripts = readdirSync(new URL('scripts', root), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  );
  const imported = scripts.flatMap((name) =>
    Array.from(readText(`scripts/${name}`).matchAll(/'(?:\.\.\/)+build\/(src\/[^']+)\.js'/g)),
  );
  assert.ok(imported.length > 3);
  for (const [, path = ''] of imported) assert.ok(existsSync(new URL(`${path}.ts`, root)), path);
});
