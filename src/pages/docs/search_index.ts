import type { Catalogue, KnownError } from './catalogue.ts';
import { argumentErrors } from './commands.ts';
import { errorAnchor } from './errors.ts';
import { GENESIS_PATH, GENESIS_TITLE, genesisWords } from './genesis_page.ts';
import { REFERENCE_GROUP, type Guide } from './guide_page.ts';
import { INTERFACE_PATH, INTERFACE_TITLE, interfaceWords } from './interface_page.ts';
import { referencePages } from './reference_pages.ts';

/** A page for the search, and the words that lead to it besides its title. */
export interface Findable {
  readonly title: string;
  readonly kind: string;
  readonly path: string;
  readonly about: string;
  /** Names of members and of refusals. */
  readonly words: readonly string[];
  /** Anchors of the first of these words on the page, in their order. */
  readonly anchors?: readonly string[];
}

/** Everything that has a page. */
export function searchIndex(catalogue: Catalogue, guides: readonly Guide[]): Findable[] {
  return [
    ...guides.map(({ group, path, title, lead, sections }) => ({
      ...{ title, kind: group === REFERENCE_GROUP ? 'reference' : 'guide', path, about: lead },
      words: sections.map((section) => section.title),
      anchors: sections.map(({ id }) => id),
    })),
    ...catalogue.methods.map(({ name, description, params, errors }) => ({
      ...{ title: name, kind: 'method', path: `methods/${name}.html`, about: description },
      ...errorWords(errors, params),
    })),
    ...catalogue.operations.map(({ name, description, errors, isVirtual }) => ({
      ...{
        title: name,
        kind: isVirtual ? 'virtual operation' : 'operation',
        path: `operations/${name}.html`,
        about: description,
      },
      ...errorWords(errors),
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
      ...errorWords(errors, params),
    })),
    {
      ...{ title: 'The wallet', kind: 'wallet', path: 'wallet/index.html', about: '' },
      ...errorWords(argumentErrors, [{ name: 'commands' }]),
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
    ...referencePages.map(({ path, title, description: about, words, anchor }) => {
      const names = words(catalogue);
      const anchors = anchor === undefined ? [] : names.map(anchor);
      return { title, kind: 'reference', path, about, words: names, anchors };
    }),
    {
      ...{ title: 'Errors of every method', kind: 'errors', path: 'errors.html', about: '' },
      ...commonErrorWords(catalogue.commonErrors),
    },
  ];
}

/** Names of errors, which have rows on the page, then other names, which lead to the page alone. */
function errorWords(
  errors: readonly KnownError[],
  others: readonly { readonly name: string }[] = [],
): Pick<Findable, 'words' | 'anchors'> {
  const words = [...errors, ...others].map(({ name }) => name);
  return errors.length === 0 ? { words } : { words, anchors: errors.map(({ name }) => errorAnchor(name)) };
}

/** Names of errors, and their codes. A code leads to the first row that has it. */
function commonErrorWords(errors: readonly KnownError[]): Pick<Findable, 'words' | 'anchors'> {
  const firsts = errors.filter(({ code }, k) => errors.findIndex((each) => each.code === code) === k);
  return {
    words: [...errors.map(({ name }) => name), ...firsts.map(({ code }) => code)],
    anchors: [...errors, ...firsts].map(({ name }) => errorAnchor(name)),
  };
}
