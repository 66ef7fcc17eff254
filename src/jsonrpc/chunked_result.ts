/** A result whose JSON is made a piece at a time, because all of it takes longer than others should wait. */
export class ChunkedResult {
  /** The member of the result, whose value the pieces are; undefined where they are the result itself. */
  readonly member: string | undefined;
  readonly #nextPiece: () => string | undefined;
  readonly #furtherMembers: () => string;

  /**
   * `nextPiece` returns the next part of the JSON text, which may be empty; undefined at the end. `furtherMembers` is
   * called then, and returns the text of members behind that one, each after its comma.
   */
  constructor(
    member: string | undefined,
    nextPiece: () => string | undefined,
    furtherMembers: () => string = () => '',
  ) {
    this.member = member;
    this.#nextPiece = nextPiece;
    this.#furtherMembers = furtherMembers;
  }

  nextPiece(): string | undefined {
    return this.#nextPiece();
  }

  furtherMembers(): string {
    return this.#furtherMembers();
  }
}
