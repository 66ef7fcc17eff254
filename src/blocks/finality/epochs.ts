/*
 * Epoch k belongs to round k: blocks m·k + 1 to m·(k + 1), where m is the chain's `max_witnesses`. The last of them is
 * its boundary.
 */

/** The epoch that a block belongs to; blocks count from 1. */
export function epochNumber(number: number, maxWitnesses: number): number {
  return Math.trunc((number - 1) / maxWitnesses);
}

/** The number of an epoch's last block, whose state names the voters of the next epoch. */
export function epochBoundary(epoch: number, maxWitnesses: number): number {
  return maxWitnesses * (epoch + 1);
}

/** The epoch that has begun once all blocks up to this one are final; 0 at the genesis. */
export function nextEpoch(final: number, maxWitnesses: number): number {
  return Math.trunc(final / maxWitnesses);
}

/** About three hours of the usual rounds. */
const MILESTONE_EACH = 64;

/**
 * The last epoch up to this one whose voters and certificate every node keeps for good: every 64th, and before the first
 * of them the powers of two. Checkpoints name these, so that nodes tell the same one for hours.
 */
export function lastMilestone(epoch: number): number {
  if (epoch >= MILESTONE_EACH) return epoch - (epoch % MILESTONE_EACH);
  return epoch === 0 ? 0 : 1 << (31 - Math.clz32(epoch));
}

/** True where nodes keep the voters and the certificate of an epoch for good. */
export function isMilestone(epoch: number): boolean {
  return lastMilestone(epoch) === epoch;
}
