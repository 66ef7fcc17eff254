import { refusals } from '../../base/refusal.ts';
import { getBlockNumber } from '../../values/hash.ts';
import { PROTOCOL, type Hello } from '../../wire/messages/hello.ts';
import type { Status } from '../../wire/messages/status.ts';
import type { Environment } from '../environment/environment.ts';
import type { ReasonName } from '../../wire/reasons.ts';
import { isBeyondSlots } from './slot_limits.ts';

const refuse = refusals({
  wrong_status: 'a status that contradicts itself: {what}',
  head_beyond_slots: 'a head of number {number}, more than there have been slots',
});

/** The reason why a node is no peer. */
export interface Mismatch {
  readonly reason: ReasonName;
  readonly text: string;
}

/** Returns the reason why the sender of that hello can't be a peer, which is no offence; undefined when it can. */
export function findMismatch(
  { protocol, chain_id, profile }: Hello,
  { view }: Pick<Environment, 'view'>,
): Mismatch | undefined {
  if (protocol !== PROTOCOL) return { reason: 'other_protocol', text: `protocol ${PROTOCOL} is spoken here` };
  if (chain_id !== view.chainId) return { reason: 'other_chain', text: `the chain here is ${view.chainId}` };
  if (profile !== view.profile) return { reason: 'other_chain', text: 'the chain has another profile here' };
  return undefined;
}

/** Throws a Refusal for what nobody's chain can be like. */
export function requireStatus(
  environment: Environment,
  { head_number, head_id, irreversible_number, irreversible_id }: Status,
): void {
  if (getBlockNumber(head_id) !== head_number) refuse.wrong_status({ what: 'number and id of the head' });
  if (getBlockNumber(irreversible_id) !== irreversible_number)
    refuse.wrong_status({ what: 'number and id of the irreversible block' });
  if (irreversible_number > head_number) refuse.wrong_status({ what: 'an irreversible block above the head' });
  if (isBeyondSlots(environment, head_number)) refuse.head_beyond_slots({ number: head_number });
}
