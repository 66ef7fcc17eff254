import type { Lane } from '../lanes.ts';

// A frame: u32 length of the payload ‖ u8 kind ‖ u8 lane, bit 7 set when the message goes on in a later frame ‖
// payload.

export const HEADER_BYTES = 6;
/** A receiver holds at most this much that it can't tell the meaning of. */
export const MOST_PAYLOAD_BYTES = 65_536;
/**
 * The payload of frames that this node sends: with its header a record of TLS, so that a small message waits for no
 * more than that.
 */
export const SENT_PAYLOAD_BYTES = 16_384 - HEADER_BYTES;
/** A frame that is continued holds this much at least: else a message of megabytes could be a million frames. */
export const LEAST_CONTINUED_BYTES = 4096;
export const MORE_FOLLOWS = 0x80;

/** A frame as it travels. */
export function encodeFrame(kind: number, lane: Lane, payload: Uint8Array, isContinued: boolean): Uint8Array {
  const frame = new Uint8Array(HEADER_BYTES + payload.length);
  new DataView(frame.buffer).setUint32(0, payload.length, true);
  frame[4] = kind;
  frame[5] = isContinued ? lane | MORE_FOLLOWS : lane;
  frame.set(payload, HEADER_BYTES);
  return frame;
}
