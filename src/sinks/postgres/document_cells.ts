import { custom } from '../../operations/custom.ts';
import { customBinary } from '../../operations/custom_binary.ts';
import { customJson } from '../../operations/custom_json.ts';
import { operationBody, type Operation } from '../../operations/operation.ts';
import type { Cell } from './copy_text.ts';

/** PostgreSQL parses nested values by recursion, within the stack of its process. */
const MOST_LEVELS = 200;
/**
 * Patterns that a jsonb or a numeric can't hold; texts that only look so are left out with them. One by one, which is
 * quicker than as alternatives.
 */
const UNSTORABLE = [/\\u[dD][89a-fA-F]/, /[eE][+-]?\d{4}/, /\d{1000}/];

/** The columns of a document behind its place and time; undefined for operations that aren't one. */
export function documentCells(operation: Operation): readonly Cell[] | undefined {
  const text = operationBody(customJson, operation);
  if (text !== undefined)
    return [
      String(text.app_id),
      text.sender,
      text.recipients,
      operation.kind.name,
      text.json,
      storable(text.json) ? { json: text.json } : null,
    ];
  const bytes = operationBody(custom, operation) ?? operationBody(customBinary, operation);
  return bytes && [String(bytes.app_id), bytes.sender, bytes.recipients, operation.kind.name, bytes.data, null];
}

function storable(json: string): boolean {
  return !UNSTORABLE.some((pattern) => pattern.test(json)) && levels(json) <= MOST_LEVELS && isJson(json);
}

/** At least as many as there are. Few brackets need no look at what is inside of what. */
function levels(json: string): number {
  const brackets = countCharacter('{', json) + countCharacter('[', json);
  if (brackets <= MOST_LEVELS) return brackets;
  let [now, most] = [0, 0];
  for (const character of json) {
    if (character === '{' || character === '[') most = Math.max(most, ++now);
    else if (character === '}' || character === ']') now--;
  }
  return most;
}

function countCharacter(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count++;
  return count;
}

/** Rules of older blocks took texts that aren't JSON. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
