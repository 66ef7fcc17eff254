/** WebSocket close codes, RFC 6455 section 7.4.1 and the registry it set up. */
export const closeCodes = {
  goingAway: 1001,
  tryLater: 1013,
} as const;
