import { refusals } from '../base/refusal.ts';

const refuse = refusals({
  text_cannot_travel:
    '{member}: half of a surrogate pair at character {at} of a text is no character, and has no bytes to be sent as',
});

const HALF = /\p{Cs}/u;

/** Refuses texts that have no UTF-8, naming the member, before anything is sent or signed. */
export function requireWellFormed(value: unknown, path = ''): void {
  if (typeof value === 'string') {
    if (!HALF.test(value)) return;
    refuse.text_cannot_travel({
      member: path === '' ? 'the text' : path,
      at: [...value].findIndex((character) => HALF.test(character)),
    });
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, each] of Object.entries(value)) {
    requireWellFormed(name, path);
    const place = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    requireWellFormed(each, place);
  }
}
