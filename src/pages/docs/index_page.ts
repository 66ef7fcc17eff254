import type { Catalogue, MethodEntry } from './catalogue.ts';
import { errorTable } from './errors.ts';
import { GENESIS_PATH, GENESIS_TITLE } from './genesis_page.ts';
import { guideGroups, type Guide } from './guide_page.ts';
import { html, withNames, type Content, type Html } from './html.ts';
import { INTERFACE_PATH, INTERFACE_TITLE } from './interface_page.ts';
import { page, section, type DocsFile, type Section } from './layout.ts';
import { makeLinks } from './links.ts';
import { referencePages } from './reference_pages.ts';
import { schemaView } from './schema.ts';

/** The start page: guides, then all methods and operations with their purpose. */
export function indexPage(catalogue: Catalogue, guides: readonly Guide[]): DocsFile {
  const { methods, operations, shapes } = catalogue;
  const paid = operations.filter(({ isVirtual }) => !isVirtual);
  const virtual = operations.filter(({ isVirtual }) => isVirtual);
  const parts: [Section, ...Content[]][] = [
    [{ id: 'guides', title: 'Guides' }, guideList(guides)],
    [
      { id: 'methods', title: 'Methods' },
      groupMethods(methods).map(([group, ofGroup]) => [
        html`<h3 id="group-${group}">${group === '' ? 'Without a group' : group}</h3>`,
        list(ofGroup, 'methods/'),
      ]),
    ],
    [{ id: 'operations', title: 'Operations' }, html`<p>What transactions hold.</p>`, list(paid, 'operations/')],
    [
      { id: 'virtual', title: 'Virtual operations' },
      html`<p>What only the chain itself makes.</p>`,
      list(virtual, 'operations/'),
    ],
    [
      { id: 'shapes', title: 'Shapes' },
      html`<p>What many methods take or answer.</p>
        <ul class="shapes">
          ${Object.keys(shapes).map((name) => html`<li><a href="shapes/${name}.html">${name}</a></li>`)}
        </ul>`,
    ],
    [
      { id: 'wallet', title: 'The wallet' },
      html`<p>Each of its ${catalogue.commands.length} <a href="wallet/index.html">commands</a> has a page.</p>`,
    ],
    [
      { id: 'interface', title: 'The interface' },
      html`<p>
        <a href="${INTERFACE_PATH}">${INTERFACE_TITLE}</a>: signatures, limits, markers and other open items.
      </p>`,
    ],
    [
      { id: 'genesis', title: 'A chain of your own' },
      html`<p><a href="${GENESIS_PATH}">${GENESIS_TITLE}</a>: what each rules, and its default.</p>`,
    ],
    [
      { id: 'reference', title: 'Lists' },
      html`<dl class="entries">
        ${referencePages.map(
          ({ path, title, description }) =>
            html`<div>
              <dt><a href="${path}">${title}</a></dt>
              <dd>${description}</dd>
            </div>`,
        )}
      </dl>`,
    ],
    [
      { id: 'programs', title: 'For programs' },
      html`<p>
        A node serves all of this as <a href="../openrpc.json">openrpc.json</a>, an OpenRPC document.
        <a href="errors.html">Errors of every method</a> have a page of their own.
      </p>`,
    ],
  ];
  return page({
    path: 'index.html',
    title: 'Start',
    description: 'Guides, and every method and operation of a Pharos node with its schema, a sample and a form.',
    site: catalogue.site,
    sections: parts.map(([each]) => each),
    content: [
      html`<h1>Pharos docs</h1>
        <p class="lead">
          ${methods.length} methods, ${operations.length} kinds of operations, each with its whole schema, a recorded
          sample, a form, and the same call by other means.
        </p>`,
      parts.map(([each, ...content]) => section(each, ...content)),
    ],
  });
}

function guideList(guides: readonly Guide[]): Html[] {
  return guideGroups(guides).map(
    ({ title, id, guides: ofGroup }) =>
      html`<h3 id="${id}">${title}</h3>
        ${cards(ofGroup)}`,
  );
}

function cards(guides: readonly Guide[]): Html {
  return html`<ul class="cards">
    ${guides.map(
      ({ path, title, lead }) =>
        html`<li>
          <a href="${path}">${title}</a>
          <p>${lead}</p>
        </li>`,
    )}
  </ul>`;
}

/** The groups of methods by name; the methods without a group come last. */
export function methodGroups(methods: readonly MethodEntry[]): string[] {
  return [...new Set(methods.map(({ group }) => group))].toSorted(
    (a, b) => Number(a === '') - Number(b === '') || (a < b ? -1 : 1),
  );
}

function groupMethods(methods: readonly MethodEntry[]): [string, MethodEntry[]][] {
  return methodGroups(methods).map((group) => [group, methods.filter((method) => method.group === group)]);
}

function list(entries: readonly { readonly name: string; readonly description: string }[], folder: string): Html {
  return html`<dl class="entries">
    ${entries.map(
      ({ name, description }) =>
        html`<div>
          <dt><a href="${folder}${name}.html">${shortName(name)}</a></dt>
          <dd>${withNames(description)}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The name of a method without its group. */
export function shortName(name: string): string {
  return name.split('.').at(-1) ?? name;
}

/** The page of a shape that many methods share. */
export function shapePage(name: string, catalogue: Catalogue): DocsFile {
  return page({
    path: `shapes/${name}.html`,
    title: name,
    description: `The shape ${name}, which many methods share.`,
    site: catalogue.site,
    content: [
      html`<p class="kind">Shape</p>
        <h1>${name}</h1>`,
      section(
        { id: 'members', title: 'Schema' },
        schemaView(catalogue.shapes[name] ?? {}, makeLinks('shapes/', catalogue)),
      ),
    ],
  });
}

/** The page of errors that any call can have. */
export function errorsPage(catalogue: Catalogue): DocsFile {
  return page({
    path: 'errors.html',
    title: 'Errors of every method',
    description: 'What any call can be answered instead of a result.',
    site: catalogue.site,
    content: [
      html`<h1>Errors of every method</h1>
        <p class="lead">
          The message of an error is for people. Programs go by <code>code</code> and by <code>data.name</code>, which
          stays.
        </p>
        <p>
          <code>data</code> has the values of the sentence too, and in <code>data.lineage</code> the text that the
          lineage node had for it, where it had one.
        </p>`,
      errorTable(catalogue.commonErrors),
    ],
  });
}
