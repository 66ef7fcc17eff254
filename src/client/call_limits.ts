/** Ten times the duration of the slowest documented read. */
export const CALL_MS = 15_000;
/** Calls that change something go on without their caller: a node answers them when they are done, whenever that is. */
export const CHANGE_MS = 600_000;
/** A broadcast is answered when it is in a block or expires. */
export const BROADCAST_MARGIN_MS = 60_000;

const CHANGING =
  /broadcast|push_|send_and_sign|^debug_api\.(?!snapshot)|subscri|^(?:network_node|witness_node|snapshot)_api\.(?!get_)/;

/** True when a repeated call has no further effect. */
export function isRepeatable(method: string): boolean {
  return !CHANGING.test(method);
}

/** Said behind a call that changes something and was not answered. */
export const MAY_BE_DONE = '; what it asks for may be done, or under way: look before you ask for it again';
