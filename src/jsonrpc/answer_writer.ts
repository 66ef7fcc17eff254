import { Refusal } from '../base/refusal.ts';
import { writeJson } from '../codec/json_writer.ts';
import { defaultDialect, successResponse, type Dialect } from './envelope/dialect.ts';
import { internalError, refused, told, tooLarge, type RpcError } from './envelope/errors.ts';
import type { FoundCall } from './envelope/find_call.ts';
import type { Host } from './envelope/host.ts';
import type { Limits } from './limits/limits.ts';
import { WrittenJson, type Method } from './envelope/method.ts';

/** The text of a response, as bytes where it is long; undefined when there is none (a notification). */
export type Answer = string | Buffer | undefined;

/** The parts of a call that its response depends on. */
type Answered = Pick<FoundCall<unknown>, 'dialect' | 'id' | 'head'> & { readonly method: Method<never> };

/**
 * The most UTF-8 bytes that one unit of a JavaScript string takes: shows without measuring that most responses are
 * within the limit.
 */
const widestCharacterBytes = 3;
/**
 * A longer text in a batch becomes bytes as soon as it is there, so that the whole batch is put together by copying.
 */
const LONGEST_TEXT = 16 * 1024;
/** A character that never occurs in a JSON text. */
const NO_JSON = '\u0000';

/** Wraps results and errors in the caller's dialect, within the limit on responses. */
export class AnswerWriter {
  readonly #answerBytes: number;
  readonly #host: Pick<Host<never>, 'speaksLineage' | 'report'>;

  constructor({ answerBytes }: Pick<Limits, 'answerBytes'>, host: Pick<Host<never>, 'speaksLineage' | 'report'>) {
    this.#answerBytes = answerBytes;
    this.#host = host;
  }

  resultText(result: unknown, { method, dialect }: Answered): string {
    return result instanceof WrittenJson ? result.text : writeJson(dialect.shown(result, method.result));
  }

  /** Returns whether an answer of that text, or of so many bytes, is within the limit. */
  fits(answer: string | number): boolean {
    if (typeof answer === 'number') return answer <= this.#answerBytes;
    return answer.length * widestCharacterBytes <= this.#answerBytes || Buffer.byteLength(answer) <= this.#answerBytes;
  }

  success(text: string, { dialect, id, head }: Answered): Answer {
    if (id === undefined) return undefined;
    return this.fits(text)
      ? successResponse(dialect, text, id, head)
      : this.error(tooLarge(this.#answerBytes), dialect, id);
  }

  /** The same for a result whose text is there in pieces; `bytes` is their length together. */
  successInPieces(pieces: readonly Uint8Array[], bytes: number, { dialect, id, head }: Answered): Answer {
    if (id === undefined) return undefined;
    if (!this.fits(bytes)) return this.error(tooLarge(this.#answerBytes), dialect, id);
    const [start = '', end = ''] = successResponse(dialect, NO_JSON, id, head).split(NO_JSON);
    return Buffer.concat([Buffer.from(start), ...pieces, Buffer.from(end)]);
  }

  /** A caller's mistake is explained to the caller; one of ours is reported to the operator. */
  failure(error: unknown, { method, dialect, id }: Answered, code: number): Answer {
    if (!(error instanceof Refusal)) this.#host.report(error, method.name);
    return this.error(error instanceof Refusal ? refused(error, code) : internalError, dialect, id);
  }

  error(error: RpcError, dialect: Dialect, id: string): string;
  error(error: RpcError, dialect: Dialect, id: string | undefined): string | undefined;
  error(error: RpcError, dialect: Dialect, id: string | undefined): string | undefined {
    return id === undefined ? undefined : dialect.failure(told(error, this.#host.speaksLineage(dialect)), id);
  }

  /** A response as it is kept until its batch is complete. */
  inBatch(answer: Answer): Answer {
    return typeof answer === 'string' && answer.length > LONGEST_TEXT ? Buffer.from(answer) : answer;
  }

  /** One array, within the limit on responses as a whole. */
  batch(answers: readonly Answer[]): Answer {
    const given = answers.filter((answer) => answer !== undefined);
    if (given.length === 0) return undefined;
    const texts = given.filter((answer) => typeof answer === 'string');
    const long = given.filter((answer) => typeof answer !== 'string');
    const textLength = texts.reduce((sum, { length }) => sum + length, 0);
    const longBytes = long.reduce((sum, { length }) => sum + length, 0);
    const isShort = textLength * widestCharacterBytes + longBytes <= this.#answerBytes;
    if (!isShort && Buffer.byteLength(texts.join()) + longBytes > this.#answerBytes)
      return this.error(tooLarge(this.#answerBytes), defaultDialect, 'null');
    if (long.length === 0) return `[${texts.join(',')}]`;
    return Buffer.concat(
      given
        .flatMap((answer, place) => [
          place === 0 ? opening : separator,
          typeof answer === 'string' ? Buffer.from(answer) : answer,
        ])
        .concat(closing),
    );
  }
}

const opening = Buffer.from('[');
const separator = Buffer.from(',');
const closing = Buffer.from(']');
