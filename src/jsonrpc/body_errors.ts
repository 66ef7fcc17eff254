import { Refusal } from '../base/refusal.ts';
import type { Answer, AnswerWriter } from './answer_writer.ts';
import { defaultDialect } from './envelope/dialect.ts';
import type { EnvelopeScanner } from './envelope/envelope.ts';
import { internalError, parseError, type RpcError } from './envelope/errors.ts';
import type { Host } from './envelope/host.ts';
import type { MethodTimes } from './limits/method_times.ts';

/** A larger body is refused without being read, and so without its id. */
const READ_TO_REFUSE_BYTES = 4096;

/** The parts that answer and count errors of whole bodies. */
export interface BodyErrorParts {
  readonly host: Pick<Host<never>, 'report'>;
  readonly scanner: EnvelopeScanner;
  readonly times: MethodTimes;
  readonly writer: AnswerWriter;
}

/** The responses to bodies of which no call is processed. */
export class BodyErrors {
  readonly #parts: BodyErrorParts;

  constructor(parts: BodyErrorParts) {
    this.#parts = parts;
  }

  /** For a body that could not be read as calls. */
  failed(error: unknown): Answer {
    const { host, times } = this.#parts;
    times.badRequests++;
    if (error instanceof Refusal) return defaultDialect.failure(parseError(error), 'null');
    host.report(error, 'a body');
    return defaultDialect.failure(internalError, 'null');
  }

  /** For a body that is refused as a whole, cheaply: with the id where it is a small single call. */
  refused(body: Buffer, error: RpcError): Answer {
    const { scanner, writer } = this.#parts;
    if (body.length > READ_TO_REFUSE_BYTES) return writer.error(error, defaultDialect, 'null');
    try {
      const [only, ...others] = scanner.scan(body).elements;
      return writer.error(error, defaultDialect, others.length === 0 ? (only?.id ?? 'null') : 'null');
    } catch (failure) {
      return this.failed(failure);
    }
  }
}
