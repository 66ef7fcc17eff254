import { refusals } from '../base/refusal.ts';
import { readSloppyJson } from '../codec/json_validity.ts';

const refuse = refusals({
  json_not_utf8: 'JSON Metadata not formatted in UTF8',
  json_not_valid: 'JSON Metadata not valid JSON',
  json_malformed: { text: 'JSON Metadata is malformed at character {position}', lineageCode: 4 },
});

/** The texts of `requireJson` and `requireMetadata`, for the operations that call them. */
export const jsonTextRefusals = refuse.texts;

/** Refuses a text that is not JSON, as sloppily as the original judges it (wire.md 7.7). */
export function requireJson(text: string): void {
  if (!text.isWellFormed()) refuse.json_not_utf8();
  const read = readSloppyJson(text);
  if (read.verdict === 'malformed') refuse.json_malformed({ position: read.end });
  if (read.verdict === 'incomplete') refuse.json_not_valid();
}

/** The same for a text that may be left empty. */
export function requireMetadata(text: string): void {
  if (text !== '') requireJson(text);
}
