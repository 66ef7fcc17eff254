import { ByteReader, ByteWriter } from '../codec/bytes.ts';
import type { Codec } from '../codec/codec.ts';
import type { Lane } from './lanes.ts';

/** The two directions of a codec that a message needs. */
export type Wire<T> = Pick<Codec<T>, 'write' | 'read'>;

/** The form of a message, known before it is read. */
export interface MessageForm {
  readonly name: string;
  /** Its members and their bytes in the words of the page Peer protocol, which shows them. In Markdown. */
  readonly layout: string;
  readonly lane: Lane;
  /** The longest message of the kind. */
  readonly mostBytes: number;
  readonly price: Price;
  /** Messages longer than `mostBytes` go by this lane, up to its own limit: so that they are in nobody's way. */
  readonly large?: LargeForm;
}

/**
 * The payer of the time that a message takes, and the price until that has been learned. `sender`: nobody asked for it.
 * `asker`: it is a question, whose answer is paid by the asking peer, as is the reading. `us`: it answers a question of
 * ours, and only an unasked answer is paid by its sender.
 */
export interface Price {
  readonly payer: 'sender' | 'asker' | 'us';
  readonly firstMs: number;
}

/** The declaration of a kind of message; its number stands in messages/index.ts. */
export interface MessageKind<T> extends MessageForm {
  encode(value: T): Uint8Array<ArrayBuffer>;
  /** Throws a Refusal for bytes that are no such message. */
  decode(bytes: Uint8Array): T;
}

interface LargeForm {
  readonly lane: Lane;
  readonly mostBytes: number;
}

interface Declaration<T> extends MessageForm {
  readonly wire: Wire<T>;
  /** Newer versions may have more to say: bytes behind the members that we know are ignored. */
  readonly mayGrow?: boolean;
}

const scratch = new ByteWriter(4096);
/** Shorter ones are copied. */
const LEAST_PIECE_BYTES = 4096;

/** Leaves large bytes where they are. */
class PieceWriter extends ByteWriter {
  #pieces: Uint8Array[] = [];

  override bytes(value: Uint8Array): void {
    if (value.length < LEAST_PIECE_BYTES) return super.bytes(value);
    this.#end();
    this.#pieces.push(value);
  }

  take(): readonly Uint8Array[] {
    this.#end();
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #end(): void {
    if (this.length > 0) this.#pieces.push(this.finish());
    this.reset();
  }
}

const pieceScratch = new PieceWriter(4096);

/** Collects the written pieces, of which the large ones are those of the values. */
export function inPieces(write: (out: ByteWriter) => void): readonly Uint8Array[] {
  write(pieceScratch);
  return pieceScratch.take();
}

/** A kind of message of these bytes. */
export function messageKind<T>({ wire, mayGrow = false, ...declared }: Declaration<T>): MessageKind<T> {
  return {
    ...declared,
    encode(value) {
      scratch.reset();
      wire.write(scratch, value);
      return scratch.finish();
    },
    decode(bytes) {
      const input = new ByteReader(bytes);
      const value = wire.read(input);
      if (!mayGrow) input.expectEnd();
      return value;
    },
  };
}

/** The lane of a message of that length. */
export function chooseLane({ lane, mostBytes, large }: MessageForm, bytes: number): Lane {
  return large !== undefined && bytes > mostBytes ? large.lane : lane;
}

/** The longest message of a kind that may come by a lane; undefined when none may. */
export function laneLimit(kind: MessageForm, lane: Lane): number | undefined {
  if (lane === kind.lane) return kind.mostBytes;
  return lane === kind.large?.lane ? kind.large.mostBytes : undefined;
}
