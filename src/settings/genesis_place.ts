import { Refusal } from '../base/refusal.ts';
import { DecodeError } from '../codec/decode_error.ts';
import { genesisMembers } from '../state/genesis_members.ts';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The line of a genesis text, counted from 1, that a refusal of it is about; undefined where it is about no line. */
export function lineOfRefusal(text: string, refusal: unknown): number | undefined {
  if (!(refusal instanceof Refusal)) return undefined;
  const { at } = refusal.details;
  if (typeof at === 'number') return lineNumber(Buffer.from(text).subarray(0, at).toString('latin1'));
  const offset = findOffset(
    text,
    refusal instanceof DecodeError ? pathSteps(refusal.path) : memberNamed(refusal.message),
  );
  return offset === undefined ? undefined : lineNumber(text.slice(0, offset));
}

function lineNumber(before: string): number {
  return before.split('\n').length;
}

/** The member with which a sentence begins. */
function memberNamed(sentence: string): readonly string[] {
  const [name = ''] = /^\w+/.exec(sentence) ?? [];
  return Object.hasOwn(genesisMembers, name) ? [name] : [];
}

/** `initial_accounts[3].key` step by step. */
function pathSteps(path: string): readonly string[] {
  return path.split(/[.[\]]/).filter((step) => step !== '');
}

/** Returns the start of a member in the text of an object, by its path; undefined when it isn't there. */
function findOffset(text: string, steps: readonly string[]): number | undefined {
  if (steps.length === 0) return undefined;
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: token, index }) => ({ token, index }));
  const wanted = steps.join('\n');
  const path: string[] = [];
  for (const [k, { token, index }] of tokens.entries()) {
    const last = path.at(-1);
    if (token === '{') path.push('');
    else if (token === '[') path.push('0');
    else if (token === '}' || token === ']') path.pop();
    else if (token === ',' && last !== undefined && /^\d+$/.test(last))
      path[path.length - 1] = String(Number(last) + 1);
    else if (tokens[k + 1]?.token === ':') path[path.length - 1] = token.slice(1, -1);
    if (token !== ',' && token !== ':' && path.join('\n') === wanted) return index;
  }
  return undefined;
}
