/** Ten times the duration of the slowest documented read. */
export const CALL_MS = 15_000;
/** A broadcast is answered when it is in a block or expires. */
export const BROADCAST_MARGIN_MS = 60_000;

/** Whether a call may be sent twice: what it asks for is not done twice then. */
export function isRepeatable(method: string): boolean {
  return !/broadcast|push_|send_and_sign|^debug_api\.|subscri/.test(method);
}
