/** Markup that is safe to show: what was put into it as text is escaped. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** The values of markup: texts are escaped, lists are joined, undefined is nothing. */
export type Content = string | number | Html | undefined | readonly Content[];

/** Markup from a template whose values are escaped, unless they are markup themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly Content[]): Html {
  const shown = values.map((value, k) => toMarkup(value) + (parts[k + 1] ?? ''));
  return new Html((parts[0] ?? '') + shown.join(''));
}

/** Markup that comes from a renderer of ours, which escapes what it is given. */
export function rendered(markup: string): Html {
  return new Html(markup);
}

/** A text in which words between backticks are names. */
export function withNames(text: string): Content {
  const parts = text.split('`');
  // A last one that is never closed is only a backtick.
  if (parts.length % 2 === 0) return text;
  return parts.map((part, k) => (k % 2 === 0 ? part : html`<code>${part}</code>`));
}

function toMarkup(value: Content): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.markup;
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value));
  return value.map(toMarkup).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
