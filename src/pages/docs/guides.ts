import markdownIt from 'markdown-it';
import { formerAnchors } from './former_anchors.ts';
import { REFERENCE_GROUP, type Guide } from './guide_page.ts';
import { codeBlock } from './layout.ts';

/** A guide as it lies in the repository. */
export interface GuideSource {
  /** The group of its readers, such as `Build`. */
  readonly group: string;
  /** From the project's folder; links in the text begin there. */
  readonly file: string;
  /** The name of its page, such as `first_app`. */
  readonly name: string;
  readonly text: string;
}

/** Pages from Markdown. A link to another guide leads to its page; what isn't a page is named and not linked. */
export function renderGuides(sources: readonly GuideSource[]): Guide[] {
  const pages = new Map(sources.map((source) => [source.file, pagePath(source)]));
  return sources.map((source) => renderGuide(source, pages));
}

/** Path of the page below the docs. */
function pagePath({ group, name }: GuideSource): string {
  return `${group === REFERENCE_GROUP ? 'reference' : 'guides'}/${name}.html`;
}

function renderGuide(source: GuideSource, pages: ReadonlyMap<string, string>): Guide {
  const { group, file, text } = source;
  const path = pagePath(source);
  const markdown = markdownIt({ html: false, linkify: false });
  const sections: { id: string; title: string }[] = [];
  const tokens = markdown.parse(text, {});
  let [title, lead] = ['', ''];
  for (const [k, token] of tokens.entries()) {
    const inline = tokens[k + 1];
    if (token.type === 'heading_open' && inline !== undefined) {
      const id = headingSlug(inline.content);
      token.attrSet('id', id);
      if (token.tag === 'h1') title = plainText(inline.content);
      if (token.tag === 'h2') sections.push({ id, title: plainText(inline.content) });
    }
    const close = tokens[k + 2];
    // A corner of a table with nothing in it is the head of nothing.
    if (token.type === 'th_open' && inline?.content === '' && close !== undefined)
      [token.tag, close.tag] = ['td', 'td'];
    if (token.type === 'paragraph_open' && lead === '') lead = withoutAnnouncement(plainText(inline?.content ?? ''));
    for (const child of token.children ?? []) {
      if (child.type !== 'link_open') continue;
      const target = resolveLink({ file, path }, String(child.attrGet('href')), pages);
      if (target === undefined) child.attrs = [];
      else child.attrSet('href', target);
    }
  }
  markdown.renderer.rules['fence'] = (all, k) => {
    const { content, info } = all[k] ?? { content: '', info: '' };
    return codeBlock(content, '', languageLabel(info), info).markup;
  };
  // Wide tables scroll by themselves.
  markdown.renderer.rules['table_open'] = () =>
    '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  markdown.renderer.rules['table_close'] = () => '</table></div>\n';
  return {
    group,
    path,
    title,
    lead,
    sections,
    markup: withFormerAnchors(path, markdown.renderer.render(tokens, markdown.options, {})),
  };
}

/** Gives headings the anchors besides that they had before. */
function withFormerAnchors(path: string, markup: string): string {
  return Object.entries(formerAnchors[path] ?? {}).reduce(
    (text, [former, present]) =>
      text.replace(new RegExp(`<h\\d id="${present}"`), (heading) => `<span id="${former}"></span>${heading}`),
    markup,
  );
}

/** A last sentence with a colon speaks of what stands below it in the guide. */
function withoutAnnouncement(text: string): string {
  return text.replace(/\s+[^.:]*:$/, '');
}

const labels: Readonly<Record<string, string>> = {
  sh: 'Commands',
  console: 'Terminal',
  json: 'JSON',
  html: 'HTML',
  ini: 'Settings',
  sql: 'SQL',
  metric: 'Metric',
  log: 'Log line',
};

function languageLabel(language: string): string {
  return labels[language] ?? 'Program';
}

/** Returns the target of a link from the page; undefined when there is no page of it. */
function resolveLink(
  { file, path }: { readonly file: string; readonly path: string },
  href: string,
  pages: ReadonlyMap<string, string>,
): string | undefined {
  if (/^(?:https?:|#)/.test(href)) return href;
  const { pathname, hash } = new URL(href, `file:///${file}`);
  // Docs link to each other as pages.
  if (pathname.startsWith('/docs/')) return `..${pathname.slice('/docs'.length)}${hash}`;
  const page = pages.get(pathname.slice(1));
  if (page === undefined) return undefined;
  const folder = path.slice(0, path.indexOf('/') + 1);
  return `${page.startsWith(folder) ? page.slice(folder.length) : `../${page}`}${hash}`;
}

function headingSlug(heading: string): string {
  return plainText(heading)
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

/** The words without their marks. */
function plainText(inline: string): string {
  return inline
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll('\n', ' ');
}
