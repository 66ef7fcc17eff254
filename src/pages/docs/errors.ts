import { remedySentence } from '../../base/recovery.ts';
import type { KnownError } from './catalogue.ts';
import { html, type Html } from './html.ts';
import { table } from './layout.ts';

const heads = ['name', 'code', 'text', 'what to do'];

/** The anchor of an error's row. */
export function errorAnchor(name: string): string {
  return `error-${name}`;
}

/** Lists errors with their reasons: programs go by the code and the name. */
export function errorTable(errors: readonly KnownError[]): Html {
  const rows = errors.map(({ name, code, text }) => [html`<code>${name}</code>`, code, text, remedySentence(name)]);
  const anchors = errors.map(({ name }) => errorAnchor(name));
  return table('Refusals', heads, rows, anchors);
}
