import { pageBytes, pages } from '../../test/client/page_bytes.ts';
import { makeProject } from '../../test/client/packed.ts';
import { amountRow, type Row } from '../bench.ts';

/** The bytes that pages load of the package as it is packed. They are the same on every machine. */
export async function run(): Promise<Row[]> {
  const folder = makeProject('pharos-client');
  return await Promise.all(
    Object.entries(pages).map(async ([name, page]) =>
      amountRow(
        name,
        'scripts that it loads',
        { value: await pageBytes(folder, page), unit: 'bytes' },
        {
          budget: { atMost: page.mostBytes },
          note: 'bundled and minified by esbuild, each file compressed by Brotli',
        },
      ),
    ),
  );
}
