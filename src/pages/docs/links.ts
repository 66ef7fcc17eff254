import type { Catalogue } from './catalogue.ts';
import type { SchemaLinks } from './schema.ts';

/** The links of pages in a folder of the docs, such as `methods/`. */
export function makeLinks(folder: string, { operations }: Pick<Catalogue, 'operations'>): SchemaLinks {
  const up = folder === '' ? '' : '../';
  const known = new Set(operations.map(({ name }) => name));
  return {
    shape: (name) => `${up}shapes/${name}.html`,
    operation: (name) => (known.has(name) ? `${up}operations/${name}.html` : undefined),
  };
}
