import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { countBytes } from '../builders/folder_bytes.ts';
import { isLong, copyOfProject, project, run, succeed, temporaryFolder } from './commands.ts';

const INSTALLED_BYTES = 330e6;

const setUp = ['scripts/setup.js'];

test('set-up gives up on a registry that accepts connections and never answers, and names the network', async (t) => {
  const silent = createServer(() => undefined);
  t.after(() => silent.close());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  const port = typeof address === 'object' && address !== null ? address.port : assert.fail('no port');
  const folder = copyOfProject(['scripts', 'native', 'package.json', 'package-lock.json']);
  const environment = {
    npm_config_registry: `http://127.0.0.1:${port}`,
    npm_config_cache: join(folder, 'cache'),
    XDG_CACHE_HOME: folder,
  };
  const { code, stderr } = await run(process.execPath, setUp, { folder, environment });
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^pharos: no network: the package registry has not answered for 30 s, and npm's cache lacks packages/m,
  );
});

if (isLong) {
  test('a fresh clone sets itself up with Node and npm alone, and again from npm’s cache without a network', async () => {
    const files = execFileSync('git', ['ls-files'], { cwd: project, encoding: 'utf8' }).trim().split('\n');
    const tools = temporaryFolder();
    // Nothing of git, Python, make or a compiler.
    for (const name of ['node', 'npm', 'npx', 'sh'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(tools, name));
    const environment = {
      PATH: tools,
      npm_config_cache: join(temporaryFolder(), 'cache'),
      XDG_CACHE_HOME: temporaryFolder(),
    };
    const version = async (folder: string): Promise<string> =>
      await succeed(process.execPath, ['scripts/pharos.js', '--version'], { folder, environment });

    const first = copyOfProject(files);
    await succeed(process.execPath, setUp, { folder: first, environment });
    assert.match(await version(first), /^\d+\.\d+\.\d+\n$/);

    const bytes = countBytes(join(first, 'node_modules')) + countBytes(join(first, 'build'));
    assert.ok(bytes <= INSTALLED_BYTES, `${bytes} bytes`);

    const second = copyOfProject(files);
    const noNetwork = {
      https_proxy: 'http://127.0.0.1:9',
      http_proxy: 'http://127.0.0.1:9',
      noproxy: '',
      no_proxy: '',
    };
    const { code, stderr } = await run(process.execPath, setUp, {
      folder: second,
      environment: { ...environment, ...noNetwork },
    });
    assert.equal(code, 0, stderr);
    assert.equal(stderr.match(/: taken from the cache in [\d.]+ s$/gm)?.length, 4, stderr);
    assert.match(stderr, /no network: .*; perhaps npm's cache has everything/);
    assert.match(await version(second), /^\d+\.\d+\.\d+\n$/);
  });
}
