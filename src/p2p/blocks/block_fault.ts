import type { BlockOutcome } from '../environment/chain_access.ts';

type Fault = Extract<BlockOutcome, { kind: 'refused' }>['fault'];

/** Honest nodes check these before they pass a block on. */
const SENDERS: ReadonlySet<string> = new Set([
  'malformed_bytes',
  'signature_without_key',
  'signature_not_canonical',
  'block_too_early',
  'no_slot',
]);
/**
 * The same of whose slot and key it is. Off the head nobody is banned for it: it is judged by what the chain remembers
 * of its branch point.
 */
const SIGNERS: ReadonlySet<string> = new Set(['block_signature', 'wrong_witness']);

/** The header of the first block is looked at only when it is applied. */
const BODIES: ReadonlySet<string> = new Set(['merkle_check_failed', 'malformed_bytes', ...SIGNERS]);

/** Names who is at fault when a block was refused for its header. */
export function faultOfHeader(code: string, isOnHead: boolean): Fault {
  if (SENDERS.has(code)) return 'sender';
  if (SIGNERS.has(code)) return isOnHead ? 'sender' : 'branch';
  return 'nobody';
}

/**
 * The same of a block whose header is right: its witness has signed what can't be applied, unless the body is another
 * one's.
 */
export function faultOfBody(code: string): Fault {
  return BODIES.has(code) ? 'sender' : 'nobody';
}

/** The same off the head, where a refusal may be that of another block of the branch, which was tried in vain. */
export function faultOfBranch(code: string): Fault {
  return SIGNERS.has(code) ? 'branch' : faultOfBody(code);
}
