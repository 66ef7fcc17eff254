import { Refusal } from '../base/refusal.ts';
import { writeJson } from '../codec/json_writer.ts';
import { defaultDialect, type Dialect } from './dialect.ts';
import { internalError, refused, told, tooLarge, type RpcError } from './errors.ts';
import type { FoundCall } from './find_call.ts';
import type { Host } from './host.ts';
import type { Limits } from './limits.ts';
import { WrittenJson, type Method } from './method.ts';

/** The text of a response; undefined when there is none (a notification). */
export type Answer = string | undefined;

/** The parts of a call that its response depends on. */
type Answered = Pick<FoundCall<unknown>, 'dialect' | 'id'> & { readonly method: Method<never> };

/** The most UTF-8 bytes that one unit of a JavaScript string takes: shows without measuring that most responses are within the limit. */
const widestCharacterBytes = 3;

/** Wraps results and errors in the caller's dialect, within the limit on responses. */
export class AnswerWriter {
  readonly #answerBytes: number;
  readonly #host: Pick<Host<never>, 'speaksLineage' | 'report'>;

  constructor({ answerBytes }: Pick<Limits, 'answerBytes'>, host: Pick<Host<never>, 'speaksLineage' | 'report'>) {
    this.#answerBytes = answerBytes;
    this.#host = host;
  }

  textOf(result: unknown, { method, dialect }: Answered): string {
    return result instanceof WrittenJson ? result.text : writeJson(dialect.shown(result, method.result));
  }

  fits(text: string): boolean {
    return text.length * widestCharacterBytes <= this.#answerBytes || Buffer.byteLength(text) <= this.#answerBytes;
  }

  success(text: string, { dialect, id }: Answered): Answer {
    if (id === undefined) return undefined;
    return this.fits(text) ? dialect.success(text, id) : this.error(tooLarge(this.#answerBytes), dialect, id);
  }

  /** A caller's mistake is explained to the caller; one of ours is reported to the operator. */
  failure(error: unknown, { method, dialect, id }: Answered, code: number): Answer {
    if (!(error instanceof Refusal)) this.#host.report(error, method.name);
    return this.error(error instanceof Refusal ? refused(error, code) : internalError, dialect, id);
  }

  error(error: RpcError, dialect: Dialect, id: string): string;
  error(error: RpcError, dialect: Dialect, id: string | undefined): Answer;
  error(error: RpcError, dialect: Dialect, id: string | undefined): Answer {
    return id === undefined ? undefined : dialect.failure(told(error, this.#host.speaksLineage(dialect)), id);
  }

  /** One array, within the limit on responses as a whole. */
  batch(answers: readonly Answer[]): Answer {
    const texts = answers.filter((answer) => answer !== undefined);
    if (texts.length === 0) return undefined;
    const length = texts.reduce((sum, text) => sum + text.length, 0);
    return length * widestCharacterBytes <= this.#answerBytes || Buffer.byteLength(texts.join()) <= this.#answerBytes
      ? `[${texts.join(',')}]`
      : this.error(tooLarge(this.#answerBytes), defaultDialect, 'null');
  }
}
