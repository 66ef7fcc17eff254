import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { figuresPage } from '../../bench/figures_page.ts';
import { plot, withNewer, type Figures } from '../../bench/plot.ts';

const project = new URL('../../../', import.meta.url);
const readText = (path: string): string => readFileSync(new URL(path, project), 'utf8');
const kept: Figures = JSON.parse(readText('bench/figures.json'));

test('the picture of README is drawn from the kept figures, and from nothing else', () => {
  assert.equal(readText('bench/figures.svg'), plot(kept));
  const [first = assert.fail(), ...others] = kept;
  const [row = assert.fail(), ...more] = first.rows;
  assert.notEqual(plot([{ ...first, rows: [{ ...row, name: 'another line' }, ...more] }, ...others]), plot(kept));
});

/** The work of a CPU-second, by the kept figures. */
function keptRate(bench: string, name: string): number {
  const rows = kept.find((figures) => figures.bench === bench)?.rows ?? [];
  return rows.find((row) => row.name === name)?.perCpuSecond ?? assert.fail(`${bench}: ${name}`);
}

test('README says what the kept figures say', () => {
  const said =
    /takes ([\d ]+) plain transfers of ten accounts a second[^]*?or ([\d ]+) transactions of mixed traffic,[^]*?in (\d+) to (\d+) µs/
      .exec(readText('README.md'))
      ?.slice(1)
      .map((figure) => Number(figure.replaceAll(' ', '')));
  const [few, many] = ['16 keys', 'every key another'].map(
    (keys) => 1_000_000 / keptRate('crypto/signatures.js', `verify, batch of 1024, ${keys}`),
  );
  assert.deepEqual(
    said,
    [
      keptRate('node/end_to_end.js', 'end to end').toPrecision(2),
      keptRate('node/traffic.js', 'traffic: real').toPrecision(2),
      (few ?? 0).toFixed(),
      (many ?? 0).toFixed(),
    ].map(Number),
  );
});

test('the page of figures is written from the kept figures, and says which promises are not kept', () => {
  assert.equal(readText('bench/figures.md'), figuresPage(kept));
  const [first = assert.fail()] = kept;
  const row = first.rows.find(({ budget }) => budget !== undefined) ?? assert.fail();
  const [met, missed] = [4, 6].map((value) =>
    Object.assign({}, row, { amount: { value, unit: 'ms' }, budget: { atMost: 5 } }),
  );
  const page = figuresPage([{ ...first, rows: [met ?? assert.fail(), missed ?? assert.fail()] }]);
  assert.match(page, /^1 of 2 promises are kept\.$/m);
  assert.match(page, /\| 4 ms \| ≤ 5 ms \| yes, 125 % \|/);
  assert.match(page, /\| 6 ms \| ≤ 5 ms \| \*\*no\*\*, 83 % \|/);
});

test('a bench that runs again replaces its own figures and no others; lines without a budget or a comparison are not kept', () => {
  const [first = assert.fail(), ...others] = kept;
  const row = first.rows.find(({ budget }) => budget !== undefined) ?? assert.fail();
  const { budget: _, baseline: __, ...bare } = row;
  const again = { ...first, when: '2100-01-01', rows: [row, { ...bare, name: 'no promise' }] };
  assert.deepEqual(withNewer(kept, [again]), [{ ...again, rows: [row] }, ...others]);
  assert.ok(plot(withNewer(kept, [again])).includes('to 2100-01-01'));
});

test('of a bench with many promises those are drawn that are closest to being broken', () => {
  const [first = assert.fail()] = kept;
  const row = first.rows.find(({ budget }) => budget !== undefined) ?? assert.fail();
  const rows = [5, 3, 9, 1, 8, 2, 7, 4, 6, 10, 11, 12, 13].map((value) =>
    Object.assign({}, row, { name: `line ${value}`, amount: { value, unit: 'ms' }, budget: { atMost: 5 } }),
  );
  const lines = [...plot([{ ...first, bench: 'a/bench.js', rows }]).matchAll(/a\/bench, (\d of \d+: line \d+)/g)].map(
    ([, name]) => name,
  );
  assert.deepEqual(lines, ['1 of 13: line 13', '2 of 13: line 12', '3 of 13: line 11']);
});

test('it is drawn for a dark page as well as for a light one', () => {
  const [light = '', dark = ''] = plot(kept).split('@media (prefers-color-scheme: dark)');
  for (const [style, isLight] of [
    [light, true],
    [dark.split('</style>')[0] ?? '', false],
  ] as const) {
    const paper = styleColour(style, '.paper');
    assert.equal(brightness(paper) > 0.5, isLight);
    for (const name of ['text', '.soft'])
      assert.ok(contrast(styleColour(style, name), paper) >= 4.5, `${name} on ${paper}`);
    for (const name of ['.kept', '.missed'])
      assert.ok(contrast(styleColour(style, name), paper) >= 3, `${name} on ${paper}`);
  }
});

function styleColour(style: string, name: string): string {
  const rule = style.split('\n').find((line) => line.startsWith(`${name} { fill: `)) ?? assert.fail(name);
  return /#[0-9a-f]{6}/.exec(rule)?.[0] ?? assert.fail(rule);
}

/** As WCAG computes it. */
function brightness(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [brightness(a), brightness(b)].toSorted((first, second) => second - first);
  return (high + 0.05) / (low + 0.05);
}
