/** Addresses that keep their number: as many as the verifiers remember senders (crypto/sender_reputation.ts). */
const ADDRESSES = 65_536;

let lastSenderId = 0;
/** The number of each address, the one not heard of for the longest time first. */
const ofAddress = new Map<string, number>();

/** A number for a new connection: no other senderId of this process has it. 0 is never given, it stands for the node itself. */
export function newSenderId(): number {
  lastSenderId = lastSenderId === 0xffff_ffff ? 1 : lastSenderId + 1;
  return lastSenderId;
}

/**
 * The number of an address, for posts: whoever posts can take a new connection for each, but not a new address. The same until so
 * many other addresses have been heard of that it is forgotten.
 */
export function senderIdOfAddress(address: string): number {
  const known = ofAddress.get(address);
  const senderId = known ?? newSenderId();
  if (known !== undefined) ofAddress.delete(address);
  ofAddress.set(address, senderId);
  for (const oldest of ofAddress.keys()) {
    if (ofAddress.size <= ADDRESSES) break;
    ofAddress.delete(oldest);
  }
  return senderId;
}
