import type { Catalogue, KnownError } from './catalogue.ts';
import { argumentErrors } from './commands.ts';
import { GENESIS_PATH, GENESIS_TITLE, genesisWords } from './genesis_page.ts';
import { REFERENCE_GROUP, type Guide } from './guide_page.ts';
import { INTERFACE_PATH, INTERFACE_TITLE, interfaceWords } from './interface_page.ts';
import { referencePages } from './reference_pages.ts';

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
    ...guides.map(({ group, path, title, lead, sections }) => ({
      ...{ title, kind: group === REFERENCE_GROUP ? 'reference' : 'guide', path, about: lead },
      words: sections.map((section) => section.title),
    })),
    ...catalogue.methods.map(({ name, description, params, errors }) => ({
      ...{ title: name, kind: 'method', path: `methods/${name}.html`, about: description },
      words: [...params.map((param) => param.name), ...namesOf(errors)],
    })),
    ...catalogue.operations.map(({ name, description, errors, isVirtual }) => ({
      ...{
        title: name,
        kind: isVirtual ? 'virtual operation' : 'operation',
        path: `operations/${name}.html`,
        about: description,
      },
      words: namesOf(errors),
    })),
    ...Object.keys(catalogue.shapes).map((name) => ({
      title: name,
      kind: 'shape',
      path: `shapes/${name}.html`,
      about: '',
      words: [],
    })),
    ...catalogue.commands.map(({ name, description, params, errors }) => ({
      ...{ title: name, kind: 'wallet', path: `wallet/${name}.html`, about: description },
      words: [...params.map((param) => param.name), ...namesOf(errors)],
    })),
    {
      ...{ title: 'The wallet', kind: 'wallet', path: 'wallet/index.html', about: '' },
      words: ['commands', ...namesOf(argumentErrors)],
    },
    {
      ...{
        title: INTERFACE_TITLE,
        kind: 'interface',
        path: INTERFACE_PATH,
        about: 'Signatures, limits, markers and other open items.',
      },
      words: interfaceWords,
    },
    {
      ...{ title: GENESIS_TITLE, kind: 'genesis', path: GENESIS_PATH, about: 'What each rules, and its default.' },
      words: genesisWords,
    },
    ...referencePages.map(({ path, title, description: about, words }) => {
      return { title, kind: 'reference', path, about, words: words(catalogue) };
    }),
    {
      ...{ title: 'Errors of every method', kind: 'errors', path: 'errors.html', about: '' },
      words: namesOf(catalogue.commonErrors),
    },
  ];
}
