import { html, type Content, type Html } from './html.ts';

/** A group of pages in the sidebar, in the order in which they are read. */
export interface Branch {
  /** The part of the docs that the group belongs to; a heading of the sidebar. */
  readonly part: string;
  readonly title: string;
  /** A page, or a place on one, that lists the group. */
  readonly path: string;
  readonly pages: readonly PageLink[];
}

/** A page as the sidebar names it. */
export interface PageLink {
  readonly path: string;
  readonly title: string;
}

/**
 * Links to all groups, and to the pages of the group that has this page. `up` leads from the page to the folder of the
 * docs.
 */
export function sidebar(tree: readonly Branch[], path: string, up: string): Html {
  const open = openBranch(tree, path);
  const parts = [...new Set(tree.map(({ part }) => part))];
  const item = (branch: Branch): Html =>
    html`<li>
      <a href="${up}${branch.path}">${breakable(branch.title)}</a>
      ${branch === open ? pageList(branch, path, up) : undefined}
    </li>`;
  const list = (of: string): Html =>
    html`<p>${of}</p>
      <ul>
        ${tree.filter(({ part }) => part === of).map(item)}
      </ul>`;
  return html`<nav id="pages" class="pages" aria-label="All pages">${parts.map(list)}</nav>`;
}

/** A name that a narrow column breaks behind its low lines. */
function breakable(name: string): Content {
  return name.split('_').map((word, k) => (k === 0 ? word : html`_<wbr />${word}`));
}

function pageList({ pages }: Branch, path: string, up: string): Html {
  return html`<ul>
    ${pages.map((each) =>
      each.path === path
        ? html`<li><a href="${up}${each.path}" aria-current="page">${breakable(each.title)}</a></li>`
        : html`<li><a href="${up}${each.path}">${breakable(each.title)}</a></li>`,
    )}
  </ul>`;
}

/** Links to the page before and the page behind this one, over the ends of groups; nothing on a page of no group. */
export function neighbours(tree: readonly Branch[], path: string, up: string): Html | undefined {
  const pages = tree.flatMap((branch) => branch.pages);
  const at = pages.findIndex((each) => each.path === path);
  const [before, behind] = [pages[at - 1], pages[at + 1]];
  if (at < 0) return undefined;
  return html`<nav class="neighbours" aria-label="Neighbours">
    ${before && html`<a href="${up}${before.path}" rel="prev">${before.title}</a>`}
    ${behind && html`<a href="${up}${behind.path}" rel="next">${behind.title}</a>`}
  </nav>`;
}

function openBranch(tree: readonly Branch[], path: string): Branch | undefined {
  return tree.find(({ pages }) => pages.some((each) => each.path === path));
}
