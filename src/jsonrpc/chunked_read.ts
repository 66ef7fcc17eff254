import type { Answer, AnswerWriter } from './answer_writer.ts';
import type { FoundCall } from './envelope/find_call.ts';
import type { ChunkedResult } from './chunked_result.ts';

/** A long text becomes bytes in pieces of this length: all at once would take as long as reading the items. */
const PIECE_CHARACTERS = 64 * 1024;

/** A read whose result is made a piece at a time. */
export class ChunkedRead<C> {
  readonly call: FoundCall<C>;
  readonly startedMs: number;
  /** The version of the state when the read began. */
  readonly version: number;
  readonly #result: ChunkedResult;
  readonly #writer: AnswerWriter;
  /** The text before `#text`, as bytes. */
  readonly #pieces: Uint8Array[] = [];
  readonly #end: string;
  #text: string;
  #bytes = 0;

  constructor(result: ChunkedResult, call: FoundCall<C>, writer: AnswerWriter, startedMs: number, version: number) {
    const [start, end] = result.member === undefined ? ['', ''] : call.dialect.only(result.member);
    this.call = call;
    this.startedMs = startedMs;
    this.version = version;
    this.#result = result;
    this.#writer = writer;
    this.#text = start;
    this.#end = end;
  }

  /** Makes the next piece; true when that was all, or more than an answer may hold. */
  takeStep(): boolean {
    const piece = this.#result.nextPiece();
    if (piece === undefined) {
      this.#text += this.#result.furtherMembers() + this.#end;
      return true;
    }
    this.#text += piece;
    if (this.#text.length >= PIECE_CHARACTERS) this.#cut();
    return !this.#writer.fits(this.#bytes);
  }

  /** The text of the result, where it is short enough to be one. */
  get text(): string | undefined {
    return this.#pieces.length === 0 ? this.#text : undefined;
  }

  answer(): Answer {
    if (this.#pieces.length === 0) return this.#writer.success(this.#text, this.call);
    this.#cut();
    return this.#writer.successInPieces(this.#pieces, this.#bytes, this.call);
  }

  #cut(): void {
    const piece = Buffer.from(this.#text);
    this.#text = '';
    this.#bytes += piece.length;
    this.#pieces.push(piece);
  }
}
