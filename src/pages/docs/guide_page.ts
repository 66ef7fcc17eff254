import { html, rendered, type Html } from './html.ts';
import { page, type DocsFile, type Section, type Site } from './layout.ts';

/** A guide, rendered. */
export interface Guide {
  /** For example, `guides/first_app.html`. */
  readonly path: string;
  readonly title: string;
  /** Its first paragraph. */
  readonly lead: string;
  readonly markup: string;
  readonly sections: readonly Section[];
}

/** The page of a guide. */
export function guidePage({ path, title, lead, markup, sections }: Guide, site: Site): DocsFile {
  const content: Html = html`<p class="kind">Guide</p>
    <article class="guide">${rendered(markup)}</article>`;
  return page({ path, title, description: lead, site, sections, content });
}
