import type { Json } from '../../codec/json.ts';
import type { Chance } from './chance.ts';

/**
 * The text of a JSON value whose objects have their members in a random order. Clients write JSON as they like, so a load is not written by
 * the writer of the node that it measures.
 */
export function shuffledJson(json: Json, chance: Chance): string {
  if (Array.isArray(json)) return `[${json.map((element) => shuffledJson(element, chance)).join(',')}]`;
  if (typeof json === 'bigint') return json.toString();
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const members = chance.shuffle(Object.keys(json)).map((name) => `${JSON.stringify(name)}:${shuffledJson(json[name] ?? null, chance)}`);
  return `{${members.join(',')}}`;
}
