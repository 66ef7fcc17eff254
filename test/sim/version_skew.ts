import { encodeFrame, HEADER_BYTES } from '../../src/wire/link/frame.ts';
import type { MessageForm } from '../../src/wire/message_kind.ts';
import { hello } from '../../src/wire/messages/hello.ts';
import { messageNumber } from '../../src/wire/messages/index.ts';
import { status } from '../../src/wire/messages/status.ts';
import { SimulatedPipe } from './simulated_link.ts';

/** Differences of a node of another version. */
export interface Skew {
  /** Kinds that it does not know yet: it skips them, and never sends one. */
  readonly lacks?: readonly MessageForm[];
  /** Of its roles it names these alone. */
  readonly roles?: number;
  /** It says more in hello and status than we read, and sends messages of a kind that we don't know. */
  readonly saysMore?: boolean;
}

const UNKNOWN_KIND = 200;
const [MORE_BYTES, NEWS_EACH] = [40, 5];

/** A link with a node of another version at one of its ends: our own code, whose frames are changed on their way. */
export class SkewedPipe extends SimulatedPipe {
  readonly #lacking: ReadonlySet<number>;
  readonly #saysMore: boolean;
  readonly #roles: number | undefined;
  #written = 0;

  constructor(parts: ConstructorParameters<typeof SimulatedPipe>[0], from: Skew | undefined, to: Skew | undefined) {
    super(parts);
    this.#lacking = new Set([...(from?.lacks ?? []), ...(to?.lacks ?? [])].map(messageNumber));
    this.#saysMore = from?.saysMore ?? false;
    this.#roles = from?.roles;
  }

  override write(frame: Uint8Array): void {
    const kind = frame[4] ?? 0;
    if (this.#lacking.has(kind)) frame[4] = UNKNOWN_KIND;
    const isLonger = this.#saysMore && (kind === messageNumber(hello) || kind === messageNumber(status));
    const said = kind === messageNumber(hello) && this.#roles !== undefined ? withRoles(frame, this.#roles) : frame;
    super.write(isLonger ? longer(kind, said) : said);
    if (this.#saysMore && this.#written++ % NEWS_EACH === 0)
      super.write(encodeFrame(UNKNOWN_KIND + 1, 1, new Uint8Array(MORE_BYTES), false));
  }
}

function longer(kind: number, frame: Uint8Array): Uint8Array {
  return encodeFrame(kind, 0, Buffer.concat([frame.subarray(HEADER_BYTES), new Uint8Array(MORE_BYTES).fill(7)]), false);
}

function withRoles(frame: Uint8Array, mask: number): Uint8Array {
  const said = hello.decode(frame.subarray(HEADER_BYTES));
  return encodeFrame(messageNumber(hello), 0, hello.encode({ ...said, roles: said.roles & mask }), false);
}
