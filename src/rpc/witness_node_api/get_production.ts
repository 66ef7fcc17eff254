import { vector } from '../../codec/collections.ts';
import { bool, text, u32 } from '../../codec/primitives.ts';
import { struct } from '../../codec/struct.ts';
import { coded } from '../../jsonrpc/envelope/params.ts';
import { Type } from '../../jsonrpc/envelope/typebox.ts';
import { accountName } from '../../values/account_name.ts';
import { time } from '../../values/time.ts';
import { method } from '../method.ts';
import type { ValueOf } from '../../codec/codec.ts';
import type { StandbyDescription } from '../services.ts';
import { requireProduction } from './require_production.ts';

const slotRecord = struct({ time, reason: text });

const producerOfNode = struct({
  witness: accountName,
  /** The name of what keeps it from producing, and what to do; both empty when nothing does. */
  obstacle: text,
  advice: text,
  missed_slots: u32,
  /** 1970-01-01 when it has none in what is known of the schedule. */
  next_slot: time,
  slots: vector(slotRecord),
});

const standingBy = struct({
  witness: accountName,
  since: time,
  has_taken_over: bool,
  /** The obstacle of a takeover now, and what to do; both empty when there is none. */
  obstacle: text,
  advice: text,
  /** The switch that it holds; both 1970-01-01 when it has none. */
  signed: time,
  expires: time,
});

const namedStandby = struct({ node: text, in_step: bool, signed: time, expires: time });

/** Returns the state of this node's witnesses. */
export const getProduction = method({
  name: 'witness_node_api.get_production',
  doc: 'What the witnesses of this node do: what keeps each from producing and what to do about it, its next slot as far as the schedule is known (1970-01-01 for none), and its slots of the last day: those without a block have a `reason`. Slots while the node was off are not known. `standing_by` says whom this node takes over from and why it would not do so now, `standbys` who takes over from it, and which switch each has.',
  params: {},
  result: Type.Object({
    is_paused: coded(bool),
    witnesses: coded(vector(producerOfNode)),
    standing_by: coded(vector(standingBy)),
    standbys: coded(vector(namedStandby)),
  }),
  example: { params: {} },
  stability: 'experimental',
  forOperator: true,
  thread: 'writer',
  changes: false,
  handler: async (_, call) => {
    const { isPaused, witnesses, standby, offers } = await requireProduction(call).describe();
    return {
      is_paused: isPaused,
      standing_by: standby === undefined ? [] : [describeStandby(standby)],
      standbys: offers.map(({ isInStep: in_step, ...offer }) => Object.assign(offer, { in_step })),
      witnesses: witnesses.map(
        ({ witness, obstacle, advice, missedSlots: missed_slots, nextSlot: next_slot, slots }) => ({
          witness,
          obstacle,
          advice,
          missed_slots,
          next_slot,
          slots: slots.map(({ timestamp, reason = '' }) => ({ time: timestamp, reason })),
        }),
      ),
    };
  },
});

function describeStandby({ hasTakenOver: has_taken_over, ...standby }: StandbyDescription): ValueOf<typeof standingBy> {
  return Object.assign(standby, { has_taken_over });
}
