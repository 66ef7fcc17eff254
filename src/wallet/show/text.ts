import type { Json } from '../../codec/json.ts';
import { prettyJson } from '../pretty_json.ts';
import { table } from './table.ts';
import { escapeControls, type Terminal } from './terminal.ts';

/** A string without quotes, anything else as JSON. */
export function showText(result: Json): string {
  return typeof result === 'string' ? escapeControls(result) : prettyJson(result);
}

/** A scalar without quotes, anything else as JSON in one line. */
export function cellText(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : prettyJson(value).replace(/\n\s*/g, ' ');
}

/** Pairs of public and private keys. */
export function showKeys(result: Json, terminal: Terminal): string {
  const rows = Array.isArray(result) ? result.map((pair) => (Array.isArray(pair) ? pair.map(cellText) : [])) : [];
  return table(
    [
      { title: 'PUBLIC KEY', align: 'left' },
      { title: 'PRIVATE KEY', align: 'left' },
    ],
    rows,
    terminal,
  );
}
