import type { Json } from '../../codec/json.ts';
import { prettyJson } from '../pretty_json.ts';
import { cellText } from './text.ts';
import { coloured, escapeControls, type Terminal } from './terminal.ts';

/** The members of a record, one per line, with their values aligned. */
export function showMembers(result: Json, terminal: Terminal): string {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return prettyJson(result);
  const width = Math.max(0, ...Object.keys(result).map((name) => name.length));
  const lines = Object.entries(result).map(
    ([name, value]) => `${coloured(escapeControls(name).padEnd(width), 'cyan', terminal)}  ${valueText(value)}`,
  );
  return `${lines.join('\n')}\n`;
}

/** A price is shown as `base / quote`, a list as its elements. */
function valueText(value: Json): string {
  if (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.keys(value).join() === 'base,quote'
  ) {
    return escapeControls(`${cellText(value['base'])} / ${cellText(value['quote'])}`);
  }
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return escapeControls(value.filter((each) => each !== '').join(' '));
  return escapeControls(cellText(value));
}
