/** A piece of JSON and its kind; marks are all that stands between the others. */
export interface JsonPiece {
  readonly kind: 'mark' | 'name' | 'text' | 'number' | 'word';
  readonly text: string;
}

const PIECES =
  /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null)|[^"\-\dtfn]+|[^]/g;

/** Splits JSON for its colours. The pieces are the whole text, also if it is no JSON. */
export function jsonPieces(json: string): JsonPiece[] {
  return [...json.matchAll(PIECES)].flatMap(([all, quoted, colon, number, word]): JsonPiece[] => {
    if (quoted !== undefined && colon !== undefined)
      return [
        { kind: 'name', text: quoted },
        { kind: 'mark', text: colon },
      ];
    if (quoted !== undefined) return [{ kind: 'text', text: quoted }];
    if (number !== undefined) return [{ kind: 'number', text: number }];
    return [{ kind: word === undefined ? 'mark' : 'word', text: all }];
  });
}

/**
 * An answer of the node as JSON that people read. Numbers above 2^53 become texts, and characters that turn the
 * direction of writing become escapes.
 */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each), 2);
  return text.replaceAll(
    /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16)}`,
  );
}
