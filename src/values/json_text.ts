import { refusals } from '../base/refusal.ts';
import { readSloppyJson } from '../codec/json_validity.ts';
import { shownJson } from '../codec/decode_error.ts';

const refuse = refusals({
  json_not_utf8: { text: 'the JSON text is no valid UTF-8', lineage: 'JSON Metadata not formatted in UTF8' },
  json_not_valid: {
    text: 'a JSON text is one value with nothing behind it, not even a blank, got {given}',
    lineage: 'JSON Metadata not valid JSON',
  },
  json_malformed: {
    text: 'the JSON text is malformed at character {position}, where it says {found}',
    lineage: 'JSON Metadata is malformed at character {position}',
    lineageCode: 4,
  },
});

/** The refusals of `requireJson` and `requireMetadata`, for the operations that call them. */
export const jsonTextRefusals = refuse.texts;

/** Refuses a text that is not JSON, by the lineage's lenient rules (wire_format.md#json-texts). */
export function requireJson(text: string): void {
  if (!text.isWellFormed()) refuse.json_not_utf8();
  const read = readSloppyJson(text);
  if (read.verdict === 'malformed')
    refuse.json_malformed({ position: read.end, found: shownJson(text.slice(read.end) || undefined) });
  if (read.verdict === 'incomplete') refuse.json_not_valid({ given: shownJson(text) });
}

/** The same for a text that may be empty. */
export function requireMetadata(text: string): void {
  if (text !== '') requireJson(text);
}
