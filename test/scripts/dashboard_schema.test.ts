import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  BigValueColorMode,
  BigValueGraphMode,
  BigValueTextMode,
  LegendDisplayMode,
  TooltipDisplayMode,
} from '@grafana/schema';

// The dashboard as Grafana's own types have it. No Grafana is to be had here, so nobody looks at it.

const project = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pharos-dashboard-'));
const text = readFileSync(join(project, 'scripts/operate/grafana.json'), 'utf8').trim();

after(() => rmSync(folder, { recursive: true, force: true }));

symlinkSync(join(project, 'node_modules'), join(folder, 'node_modules'));
writeFileSync(
  join(folder, 'tsconfig.json'),
  JSON.stringify({
    compilerOptions: {
      strict: true,
      noEmit: true,
      module: 'nodenext',
      target: 'es2023',
      skipLibCheck: true,
      types: [],
    },
    files: ['dashboard.ts'],
  }),
);

/** Compiles a dashboard as a literal, and returns the errors. Queries of Prometheus have members of its own. */
function problems(json: string): string {
  const literal = json.replaceAll('"mode": "absolute"', '"mode": ThresholdsMode.Absolute');
  writeFileSync(
    join(folder, 'dashboard.ts'),
    `import { ThresholdsMode, type AnnotationQuery, type Dashboard, type DataQuery } from '@grafana/schema';
     type Query = DataQuery & { readonly expr: string; readonly interval: string };
     type Annotation = AnnotationQuery<Query> & { readonly titleFormat: string; readonly useValueForTime: boolean };
     type Own = Omit<Dashboard, 'annotations'> & { readonly annotations: { readonly list: Annotation[] } };
     export const dashboard: Own = ${literal};\n`,
  );
  return spawnSync(process.execPath, [join(project, 'node_modules/typescript/bin/tsc'), '-p', '.'], {
    cwd: folder,
    encoding: 'utf8',
  }).stdout;
}

test('the dashboard has the members and types of Grafana’s own schema, and a wrong one is found', () => {
  assert.equal(problems(text), '');
  assert.match(problems(text.replace('"iconColor"', '"iconColour"')), /iconColour/);
  assert.match(problems(text.replace('"x": 0', '"x": "0"')), /Type 'string' is not assignable to type 'number'/);
});

test('the options of its panels are words that Grafana knows', () => {
  const { panels }: { panels: { type: string; options?: Readonly<Record<string, unknown>> }[] } = JSON.parse(text);
  const known: Readonly<Record<string, readonly string[]>> = {
    textMode: Object.values(BigValueTextMode),
    colorMode: Object.values(BigValueColorMode),
    graphMode: Object.values(BigValueGraphMode),
    displayMode: Object.values(LegendDisplayMode),
    mode: Object.values(TooltipDisplayMode),
  };
  const seen = new Set<string>();
  const visit = (options: Readonly<Record<string, unknown>>): void => {
    for (const [name, value] of Object.entries(options)) {
      if (typeof value === 'object' && value !== null) visit({ ...value });
      if (typeof value !== 'string' || known[name] === undefined) continue;
      seen.add(name);
      assert.ok(known[name].includes(value), `${name}: ${value}`);
    }
  };
  for (const { options = {} } of panels) visit(options);
  assert.deepEqual([...seen].toSorted(), Object.keys(known).toSorted());
  assert.deepEqual(new Set(panels.map(({ type }) => type)), new Set(['stat', 'row', 'timeseries']));
});
