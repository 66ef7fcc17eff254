/** A result whose JSON is made a piece at a time, because all of it takes longer than others should wait. */
export class ChunkedResult {
  /** The only member of the result, whose value the pieces are; undefined where they are the result itself. */
  readonly member: string | undefined;
  readonly #nextPiece: () => string | undefined;

  /** `nextPiece` returns the next part of the JSON text, which may be empty; undefined at the end. */
  constructor(member: string | undefined, nextPiece: () => string | undefined) {
    this.member = member;
    this.#nextPiece = nextPiece;
  }

  nextPiece(): string | undefined {
    return this.#nextPiece();
  }
}
