/** WebSocket close codes, RFC 6455 section 7.4.1 and the registry it set up. */
export const closeCodes = {
  goingAway: 1001,
  /** Never sent: the connection has ended without a close frame. */
  abnormal: 1006,
  tooBig: 1009,
  tryLater: 1013,
} as const;
