/**
 * Addresses that keep their number: as many as the senders that the verifiers remember (crypto/sender_reputation.ts).
 */
const ADDRESSES = 65_536;

let lastSenderId = 0;
/** The number of each address, the least recently seen first. */
const ofAddress = new Map<string, number>();

/**
 * A number for a new connection, different from every other senderId of this process. 0 is never returned; it stands
 * for the node itself.
 */
export function newSenderId(): number {
  lastSenderId = lastSenderId === 0xffff_ffff ? 1 : lastSenderId + 1;
  return lastSenderId;
}

/**
 * The number of an address, for POSTs: a client can open a new connection for each POST, but cannot take a new address.
 * It stays the same until the address is forgotten for newer ones.
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
