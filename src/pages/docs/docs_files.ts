import type { Catalogue } from './catalogue.ts';
import { guidePage, type Guide } from './guide_page.ts';
import { errorsPage, indexPage, shapePage } from './index_page.ts';
import type { DocsFile } from './layout.ts';
import { methodPage } from './method_page.ts';
import { operationPage } from './operation_page.ts';
import type { Samples } from './samples.ts';
import { searchIndex } from './search_index.ts';

/** All pages, made of declarations, recorded samples and guides. */
export function docsFiles(catalogue: Catalogue, samples: Samples, guides: readonly Guide[]): readonly DocsFile[] {
  return [
    indexPage(catalogue, guides),
    errorsPage(catalogue),
    ...guides.map((guide) => guidePage(guide, catalogue.site)),
    ...catalogue.methods.map((method) => methodPage(method, samples.methods[method.name], catalogue)),
    ...catalogue.operations.map((operation) => operationPage(operation, samples.operations[operation.name], catalogue)),
    ...Object.keys(catalogue.shapes).map((name) => shapePage(name, catalogue)),
    { path: 'search.json', text: JSON.stringify(searchIndex(catalogue, guides)) },
  ];
}
