import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { isLong, copyOfProject, project, run, succeed, temporaryFolder } from './commands.ts';

const setUp = ['scripts/setup.js'];

test('set-up gives up on a registry that accepts connections and never answers, and names the network', async (t) => {
  const silent = createServer(() => undefined);
  t.after(() => silent.close());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
  const folder = copyOfProject(['scripts', 'package.json', 'package-lock.json']);
  const environment = { npm_config_registry: `http://127.0.0.1:${port}`, npm_config_cache: join(folder, 'cache') };
  const { code, stderr } = await run(process.execPath, setUp, { folder, environment });
  assert.equal(code, 1);
  assert.match(stderr, /^pharos: no network: the package registry has not answered for 30 s, and npm's cache lacks packages/m);
});

if (isLong) {
  test('a fresh clone sets itself up with Node and npm alone, and again from npm’s cache without a network', async () => {
    const files = execFileSync('git', ['ls-files'], { cwd: project, encoding: 'utf8' }).trim().split('\n');
    const tools = temporaryFolder();
    // Nothing of git, Python, make or a compiler.
    for (const name of ['node', 'npm', 'npx', 'sh'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(tools, name));
    const environment = { PATH: tools, npm_config_cache: join(temporaryFolder(), 'cache') };
    const version = async (folder: string): Promise<string> =>
      await succeed(process.execPath, ['scripts/pharos.js', '--version'], { folder, environment });

    const first = copyOfProject(files);
    await succeed(process.execPath, setUp, { folder: first, environment });
    assert.match(await version(first), /^\d+\.\d+\.\d+\n$/);

    const second = copyOfProject(files);
    mkdirSync(dirname(join(second, 'build')), { recursive: true });
    const noNetwork = { https_proxy: 'http://127.0.0.1:9', http_proxy: 'http://127.0.0.1:9', noproxy: '', no_proxy: '' };
    const { code, stderr } = await run(process.execPath, setUp, { folder: second, environment: { ...environment, ...noNetwork } });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /no network: .*; perhaps npm's cache has everything/);
    assert.match(await version(second), /^\d+\.\d+\.\d+\n$/);
  });
}
