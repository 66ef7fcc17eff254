import { html, type Content, type Html } from './html.ts';
import { neighbours, sidebar, type Branch } from './sidebar.ts';

/** A file below the folder of the docs. */
export interface DocsFile {
  /** For example, `methods/block_api.get_block.html`. */
  readonly path: string;
  readonly text: string;
}

export interface Site {
  readonly version: string;
  /** Files below the folder of all pages, which the docs are a folder of. */
  readonly style: string;
  readonly script: string;
  readonly icon: string;
  /** All pages, by groups. */
  readonly tree: readonly Branch[];
}

/** The parts around the content of each page. */
export interface PageParts {
  readonly path: string;
  readonly title: string;
  /** A sentence, for search engines and bookmarks. */
  readonly description: string;
  readonly content: Content;
  /** Places on this page, for a list beside it. */
  readonly sections?: readonly Section[];
  readonly site: Site;
}

/** A heading of a page. */
export interface Section {
  readonly id: string;
  readonly title: string;
}

/** The way from a page to the folder of the docs, so that they work wherever they lie. */
function pathToRoot(path: string): string {
  return '../'.repeat(path.split('/').length - 1);
}

/** A whole page. Nothing of it needs a script: scripts add the search, the forms and nothing else. */
export function page({ path, title, description, content, sections = [], site }: PageParts): DocsFile {
  const up = pathToRoot(path);
  const text = html`<!doctype html>
    <html lang="en" data-docs="${up === '' ? './' : up}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="description" content="${description}" />
        <title>${title} · Pharos docs</title>
        <link rel="icon" href="${up}../${site.icon}" type="image/svg+xml" />
        <link rel="stylesheet" href="${up}../${site.style}" />
        <script type="module" src="${up}../${site.script}"></script>
      </head>
      <body>
        <a class="skip" href="#content">To the content</a>
        <header class="top">
          <a class="home" href="${up}index.html">Pharos <span>docs</span></a>
          <nav aria-label="Docs">
            <a class="roomy" href="${up}index.html#guides">Guides</a>
            <a class="roomy" href="${up}index.html#methods">Methods</a>
            <a class="roomy" href="${up}index.html#operations">Operations</a>
            <a class="roomy" href="${up}wallet/index.html">Wallet</a>
            <a class="to-pages" href="#pages">All pages</a>
            ${sections.length > 1 ? html`<a class="to-sections" href="#sections">Contents</a>` : undefined}
            <a class="close" href="#content">Close</a>
            <a href="${up}../">Chain</a>
          </nav>
          <div class="search" data-search hidden></div>
        </header>
        <div class="${sections.length > 1 ? 'body with-sections' : 'body'}">
          ${sections.length > 1 ? sectionList(sections) : undefined}
          <main id="content" tabindex="-1">${content} ${neighbours(site.tree, path, up)}</main>
          ${sidebar(site.tree, path, up)}
        </div>
        <footer>Pharos ${site.version}. These pages are made from the declarations that the node runs by.</footer>
      </body>
    </html> `;
  return { path, text: text.markup };
}

function sectionList(sections: readonly Section[]): Html {
  return html`<nav id="sections" class="sections" aria-label="On this page">
    <ul>
      ${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}
    </ul>
  </nav>`;
}

/** A part of a page under a heading of its own. */
export function section({ id, title }: Section, ...content: readonly Content[]): Html {
  return html`<section>
    <h2 id="${id}">${title}</h2>
    ${content}
  </section>`;
}

/**
 * A program or a text of that language, to be read as it is; set-up colours it. It scrolls, so it can be reached by
 * keyboard.
 */
export function codeBlock(text: string, name: string, label: string, language = ''): Html {
  return html`<pre
    class="code"
    tabindex="0"
    role="group"
    aria-label="${label}"
    data-code="${name}"
    data-language="${language}"
  ><code>${text}</code></pre>`;
}

function rowId(anchor: string | undefined): Html {
  return anchor === undefined ? html`` : html` id="${anchor}"`;
}

/**
 * A table that scrolls by itself, and is a list of cards on a phone. The first cell of a row names it; `label` is for
 * those who hear the page. Rows may have anchors, in their order.
 */
export function table(
  label: string,
  heads: readonly string[],
  rows: readonly (readonly Content[])[],
  anchors: readonly string[] = [],
): Html {
  return html`<div class="wide" tabindex="0" role="group" aria-label="${label}">
    <table class="rows">
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([name, ...cells], k) =>
            html`<tr${rowId(anchors[k])}>
              <th scope="row">${name}</th>
              ${cells.map((cell, column) => html`<td data-label="${heads[column + 1]}">${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}
