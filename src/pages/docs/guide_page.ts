import { html, rendered, type Html } from './html.ts';
import { page, type DocsFile, type Section, type Site } from './layout.ts';

/** The group of the texts for implementers. */
export const REFERENCE_GROUP = 'Reference';

/** A guide, rendered. */
export interface Guide {
  /** The group of its readers, such as `Build`. */
  readonly group: string;
  /** For example, `guides/first_app.html`. */
  readonly path: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly lead: string;
  readonly markup: string;
  readonly sections: readonly Section[];
}

/** Guides for the same readers. */
export interface GuideGroup {
  readonly title: string;
  /** The place of the group on the first page. */
  readonly id: string;
  readonly guides: readonly Guide[];
}

/** The groups of guides, in the order of their first guides. */
export function guideGroups(guides: readonly Guide[]): GuideGroup[] {
  return [...new Set(guides.map(({ group }) => group))].map((title) => ({
    title,
    id: `guides-${title.toLowerCase()}`,
    guides: guides.filter(({ group }) => group === title),
  }));
}

/** The page of a guide. */
export function guidePage({ group, path, title, lead, markup, sections }: Guide, site: Site): DocsFile {
  const content: Html = html`<p class="kind">${group === REFERENCE_GROUP ? 'Reference' : 'Guide'}</p>
    <article class="guide">${rendered(markup)}</article>`;
  return page({ path, title, description: lead, site, sections, content });
}
