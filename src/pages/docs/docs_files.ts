import type { Catalogue } from './catalogue.ts';
import { commandPage, walletPage } from './command_page.ts';
import { GENESIS_PATH, GENESIS_TITLE, genesisPage } from './genesis_page.ts';
import { guideGroups, guidePage, REFERENCE_GROUP, type Guide } from './guide_page.ts';
import { errorsPage, indexPage, methodGroups, shapePage, shortName } from './index_page.ts';
import { INTERFACE_PATH, INTERFACE_TITLE, interfacePage } from './interface_page.ts';
import type { DocsFile } from './layout.ts';
import { methodPage } from './method_page.ts';
import { operationPage } from './operation_page.ts';
import { referencePage, referencePages } from './reference_pages.ts';
import type { Samples } from './samples.ts';
import { searchIndex } from './search_index.ts';
import type { Branch, PageLink } from './sidebar.ts';

/** All pages, made of declarations, recorded samples and guides. */
export function docsFiles(declared: Catalogue, samples: Samples, guides: readonly Guide[]): readonly DocsFile[] {
  const catalogue = { ...declared, site: { ...declared.site, tree: pageTree(declared, guides) } };
  return [
    indexPage(catalogue, guides),
    errorsPage(catalogue),
    interfacePage(catalogue),
    genesisPage(catalogue),
    ...referencePages.map((each) => referencePage(each, catalogue, guides)),
    walletPage(catalogue),
    ...catalogue.commands.map((command) => commandPage(command, catalogue)),
    ...guides.map((guide) => guidePage(guide, catalogue.site)),
    ...catalogue.methods.map((method) => methodPage(method, samples.methods[method.name], catalogue)),
    ...catalogue.operations.map((operation) => operationPage(operation, samples.operations[operation.name], catalogue)),
    ...Object.keys(catalogue.shapes).map((name) => shapePage(name, catalogue)),
    { path: 'search.json', text: JSON.stringify(searchIndex(catalogue, guides)) },
  ];
}

/** The groups of the sidebar: guides, then references, then methods. */
function pageTree({ methods, operations, shapes, commands }: Catalogue, guides: readonly Guide[]): Branch[] {
  const groups = methodGroups(methods);
  const ofKind = (isVirtual: boolean): PageLink[] =>
    operations.filter((each) => each.isVirtual === isVirtual).map(({ name }) => pageLink('operations/', name));
  return [
    ...guideGroups(guides)
      .filter(({ title }) => title !== REFERENCE_GROUP)
      .map(({ title, id, guides: pages }) => ({ part: 'Guides', title, path: `index.html#${id}`, pages })),
    {
      part: 'Reference',
      title: 'Rules and lists',
      path: INTERFACE_PATH,
      pages: [
        { path: INTERFACE_PATH, title: INTERFACE_TITLE },
        { path: GENESIS_PATH, title: GENESIS_TITLE },
        ...guides.filter(({ group }) => group === REFERENCE_GROUP),
        ...referencePages,
        { path: 'errors.html', title: 'Errors of every method' },
      ],
    },
    { part: 'Reference', title: 'Operations', path: 'index.html#operations', pages: ofKind(false) },
    { part: 'Reference', title: 'Virtual operations', path: 'index.html#virtual', pages: ofKind(true) },
    {
      part: 'Reference',
      title: 'Shapes',
      path: 'index.html#shapes',
      pages: Object.keys(shapes).map((name) => pageLink('shapes/', name)),
    },
    {
      part: 'Reference',
      title: 'Wallet',
      path: 'wallet/index.html',
      pages: [
        { path: 'wallet/index.html', title: 'Commands' },
        ...commands.map(({ name }) => pageLink('wallet/', name)),
      ],
    },
    ...groups.map((group) => ({
      part: 'Methods',
      title: group === '' ? 'Without a group' : group,
      path: `index.html#group-${group}`,
      pages: methods.filter((each) => each.group === group).map(({ name }) => pageLink('methods/', name)),
    })),
  ];
}

function pageLink(folder: string, name: string): PageLink {
  return { path: `${folder}${name}.html`, title: shortName(name) };
}
