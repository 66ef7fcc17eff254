import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { Answer } from '../answer_writer.ts';
import type { Header } from './origins.ts';

/** The content codings of answers, in the order in which they are preferred. */
const codings = ['br', 'gzip'] as const;
export type Coding = (typeof codings)[number];

/**
 * Clients whose answers are compressed: those of other machines, or all. On one machine both sides would work for
 * nothing.
 */
export type Compresses = 'remote' | 'all';

/** A compressed answer. */
export class PackedAnswer {
  readonly body: Uint8Array;
  readonly headers: readonly Header[];

  constructor(coding: Coding, body: Uint8Array) {
    this.body = body;
    this.headers = [
      ['Content-Encoding', coding],
      ['Vary', 'Accept-Encoding'],
    ];
  }
}

/** A smaller answer fits into one packet with its head: nothing arrives earlier. */
const SMALLEST_BYTES = 1024;
/** A larger answer takes more than a millisecond, so it is compressed on another thread. */
const LARGEST_AT_ONCE_BYTES = 128 * 1024;

// The lowest qualities that compress well: JSON shrinks to a quarter at 300 MB/s and more (bench/rpc/compression.ts).
// Higher ones cost three times as much for a tenth.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const deflate = { level: 1 };
const atOnce = {
  br: (body: Uint8Array) => brotliCompressSync(body, brotli),
  gzip: (body: Uint8Array) => gzipSync(body, deflate),
};
/** Compresses on another thread. */
const later = {
  br: (body: Uint8Array) => called((done) => brotliCompress(body, brotli, done)),
  gzip: (body: Uint8Array) => called((done) => gzip(body, deflate, done)),
};

function called(compress: (done: (error: Error | null, body: Uint8Array) => void) => void): Promise<Uint8Array> {
  return new Promise((resolve, reject) => compress((error, body) => (error === null ? resolve(body) : reject(error))));
}

/** A body that is sent often, compressed as well as the coding can. */
export function compressedWell(coding: Coding, body: Uint8Array): Promise<Uint8Array> {
  return called((done) => (coding === 'br' ? brotliCompress(body, done) : gzip(body, { level: 9 }, done)));
}

/** The client of an answer; header values are as received, '' when absent. */
export interface Reader {
  readonly acceptEncoding: string;
  readonly isLocal: boolean;
}

/** Compresses answers for readers that accept it. */
export class Compression {
  readonly #compresses: Compresses | undefined;

  constructor(compresses: Compresses | undefined) {
    this.#compresses = compresses;
  }

  /** True if the header `Accept-Encoding` matters. */
  get isEnabled(): boolean {
    return this.#compresses !== undefined;
  }

  /** The answer as it is sent, found without delay; large ones stay as they are. */
  pack<A extends Answer | Uint8Array>(answer: A, reader: Reader): A | PackedAnswer {
    const coding = this.#codingFor(answer, reader);
    if (answer === undefined || coding === undefined || answer.length > LARGEST_AT_ONCE_BYTES) return answer;
    return new PackedAnswer(coding, atOnce[coding](Buffer.from(answer)));
  }

  /** The same for answers that may wait, of any size. */
  packLater(answer: Answer, reader: Reader): Answer | PackedAnswer | Promise<Answer | PackedAnswer> {
    const coding = this.#codingFor(answer, reader);
    if (answer === undefined || coding === undefined || answer.length <= LARGEST_AT_ONCE_BYTES)
      return this.pack(answer, reader);
    return later[coding](Buffer.from(answer)).then(
      (body) => new PackedAnswer(coding, body),
      () => answer,
    );
  }

  #codingFor(answer: Answer | Uint8Array, reader: Reader): Coding | undefined {
    if (
      this.#compresses === undefined ||
      answer === undefined ||
      answer.length < SMALLEST_BYTES ||
      reader.acceptEncoding === ''
    )
      return undefined;
    return this.#compresses === 'remote' && reader.isLocal ? undefined : acceptedCoding(reader.acceptEncoding);
  }
}

/** The coding that a list such as `gzip, br;q=0.5` accepts; one with the weight 0 is refused. */
export function acceptedCoding(acceptEncoding: string): Coding | undefined {
  const accepted = acceptEncoding
    .toLowerCase()
    .split(',')
    .map((each) => each.replaceAll(' ', '').split(';q='));
  return codings.find((coding) => accepted.some(([name, weight = '1']) => name === coding && Number(weight) > 0));
}
