/** A message of a client that ends its WebSocket. */
export type SocketFault = 'too_long' | 'no_utf8' | 'malformed';

/** Reasons that uWebSockets.js gives for a WebSocket that it has closed. The client has heard nothing then. */
const ofBinding: Readonly<Record<string, SocketFault>> = {
  'Received too big message': 'too_long',
  'Received invalid UTF-8': 'no_utf8',
  'Received invalid WebSocket frame': 'malformed',
  'Received invalid close payload': 'malformed',
};
/** Codes of the errors of ws; the client has been sent the close code. */
const ofLibrary: Readonly<Record<string, SocketFault>> = {
  WS_ERR_UNSUPPORTED_MESSAGE_LENGTH: 'too_long',
  WS_ERR_UNSUPPORTED_DATA_PAYLOAD_LENGTH: 'too_long',
  WS_ERR_INVALID_UTF8: 'no_utf8',
};

/**
 * Counts WebSockets that have ended by what their clients sent, so that the operator learns why where the client
 * doesn't.
 */
export class SocketFaults {
  readonly counts: Record<SocketFault, number> = { too_long: 0, no_utf8: 0, malformed: 0 };

  count(fault: SocketFault): void {
    this.counts[fault]++;
  }

  /** By the reason that the binding gives. Others are no fault of what was sent. */
  countReason(reason: string): void {
    const fault = ofBinding[reason];
    if (fault !== undefined) this.counts[fault]++;
  }

  /** By an error of ws; those of the network have other codes. */
  countError(error: Error): void {
    const code = 'code' in error ? String(error.code) : '';
    if (code.startsWith('WS_ERR_')) this.counts[ofLibrary[code] ?? 'malformed']++;
  }
}
