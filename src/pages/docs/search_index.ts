import type { Catalogue, KnownError } from './catalogue.ts';
import type { Guide } from './guide_page.ts';

/** What can be found: a page, and the words that lead to it besides its title. */
export interface Findable {
  readonly title: string;
  readonly kind: string;
  readonly path: string;
  readonly about: string;
  /** Names of members and of refusals. */
  readonly words: readonly string[];
}

/** Everything that has a page. */
export function searchIndex(catalogue: Catalogue, guides: readonly Guide[]): Findable[] {
  const namesOf = (errors: readonly KnownError[]): string[] => errors.map(({ name }) => name);
  return [
    ...guides.map(({ path, title, lead, sections }) => ({
      ...{ title, kind: 'guide', path, about: lead },
      words: sections.map((section) => section.title),
    })),
    ...catalogue.methods.map(({ name, description, params, errors }) => ({
      ...{ title: name, kind: 'method', path: `methods/${name}.html`, about: description },
      words: [...params.map((param) => param.name), ...namesOf(errors)],
    })),
    ...catalogue.operations.map(({ name, description, errors, isVirtual }) => ({
      ...{ title: name, kind: isVirtual ? 'virtual operation' : 'operation', path: `operations/${name}.html`, about: description },
      words: namesOf(errors),
    })),
    ...Object.keys(catalogue.shapes).map((name) => ({ title: name, kind: 'shape', path: `shapes/${name}.html`, about: '', words: [] })),
    {
      ...{ title: 'Errors of every method', kind: 'errors', path: 'errors.html', about: '' },
      words: namesOf(catalogue.commonErrors),
    },
  ];
}
