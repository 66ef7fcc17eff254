import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ownEnvironment } from '../builders/own_environment.ts';

// The guide that puts `pharos` on the PATH: here from a clone. test/services has the package and the container.

const project = fileURLToPath(new URL('../../../', import.meta.url));
const page = readFileSync(join(project, 'src/pages/guides/install.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'pharos-install-'));
const { version }: { version: string } = JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'));

after(() => rmSync(folder, { recursive: true, force: true }));

function section(title: string): readonly string[] {
  const text = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? assert.fail(title);
  return [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].flatMap(([, lines = '']) => lines.trim().split('\n'));
}

/** Types a line with npm's global folder in the test's folder, as a user's own npm has one. */
function typed(line: string, cwd: string): string {
  const path = `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const env = { ...ownEnvironment, PATH: path, npm_config_prefix: folder };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd, env, encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, `${line}\n${stdout}${stderr}`);
  return stdout;
}

test('after the lines for a clone, pharos is a command in every folder, and one line takes it away', () => {
  const [setUp, link = '', ask = '', toService = '', ...more] = section('From a clone');
  assert.deepEqual([setUp, more], ['node scripts/setup.js', []]);
  typed(link, project);
  assert.equal(typed(ask, folder).trim(), version);
  const [, end = ''] = /`(npm uninstall --global pharos)`/.exec(page) ?? [];
  typed(end, folder);
  assert.ok(!existsSync(join(folder, 'bin/pharos')));
  assert.ok(existsSync(join(project, 'scripts/pharos.js')), 'the clone is as it was');
  typed(toService.replace('/opt/pharos', project).replace('/usr/local/bin', join(folder, 'bin')), folder);
  assert.equal(typed(ask, folder).trim(), version);
});

test('each unit starts pharos by its name, and says in which folder', () => {
  const units = ['pharos', 'pharos-index', 'pharos-signer', 'pharos-standby'];
  for (const unit of units) {
    const text = readFileSync(join(project, 'scripts/operate', `${unit}.service`), 'utf8');
    assert.match(text, /^ExecStart=pharos \w/m, unit);
    assert.match(text, /^WorkingDirectory=\/var\/lib\/pharos/m, unit);
  }
});

test('no command of a guide starts the program by a path, but of a version that is not on the PATH', () => {
  for (const guide of ['documents', 'sql', 'events', 'client', 'trust_no_node', 'witness', 'development_chains'])
    assert.doesNotMatch(readFileSync(join(project, `src/pages/guides/${guide}.md`), 'utf8'), /scripts\/pharos\.js/);
});
