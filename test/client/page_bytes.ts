import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';

/** A page that uses the package, and the bytes that it may load. */
export interface Page {
  readonly program: string;
  /** Modules that it loads when it runs, by the beginnings of their names. */
  readonly loads: readonly string[];
  readonly mostBytes: number;
}

const KIB = 1024;
const CONNECTED = `import { connect } from 'pharos-client';
  const client = await connect('wss://node.example');
  const { account } = await client.getAccount('alice');
  document.title = String(account[0]?.balance);`;

/** The pages whose sizes are promised. */
export const pages = {
  'a page that reads and follows': {
    program: `${CONNECTED}
      for await (const { operation } of client.operations({ account: 'alice' })) document.title = operation.name;`,
    loads: [],
    mostBytes: 15 * KIB,
  },
  'a page that signs and sends': {
    program: `${CONNECTED}
      await client.send([['transfer', { from: 'alice', to: 'bob', amount: '1 COIN', memo: '' }]], [prompt('key')]);`,
    loads: ['sending', 'signing'],
    mostBytes: 50 * KIB,
  },
  'a page that trusts no node': {
    program: `export { verifiedClient } from 'pharos-client/verified';`,
    loads: [],
    mostBytes: 40 * KIB,
  },
} as const satisfies Readonly<Record<string, Page>>;

/**
 * The scripts that a page loads, each compressed by Brotli as a server sends it. `folder` has the package installed.
 */
export async function pageBytes(folder: string, { program, loads }: Page): Promise<number> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: program, resolveDir: folder },
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser', write: false },
    ...{ metafile: true, outdir: join(folder, 'page'), absWorkingDir: folder },
  });
  const starts = Object.entries(metafile.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint === '<stdin>' || loads.some((name) => path.startsWith(`page/${name}-`)) ? [path] : [],
  );
  assert.equal(starts.length, 1 + loads.length, `a page loads ${loads.join(' and ')}`);
  const loaded = new Set(starts);
  for (const path of loaded)
    for (const { path: other, kind } of metafile.outputs[path]?.imports ?? [])
      if (kind === 'import-statement') loaded.add(other);
  return outputFiles
    .filter(({ path }) => loaded.has(relative(folder, path)))
    .reduce((sum, { contents }) => sum + brotliCompressSync(contents).length, 0);
}
