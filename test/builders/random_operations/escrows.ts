import { escrows as escrowTable } from '../../../src/state/tables/escrow.ts';
import { timeText } from '../../../src/values/time.ts';
import type { Makers, RandomValues } from './random_values.ts';

const HOUR = 3600;

/** Escrows, mostly ones that are open. */
export const escrows: Makers = {
  escrow_transfer: (random) => {
    const [from, to, agent] = [random.anyone(), random.anyone(), random.anyone()];
    const ratification_deadline = random.chain.head.time + HOUR * random.dice.roll(30);
    const ends = {
      ratification_deadline: timeText(ratification_deadline),
      escrow_expiration: timeText(ratification_deadline + HOUR * (1 + random.dice.roll(30))),
    };
    return {
      signer: random.active(from),
      fee: random.baseFee(),
      from,
      to,
      coin_amount: random.coins(),
      escrow_id: random.dice.roll(4),
      agent,
      escrow_fee: random.coins(10),
      json_meta: '',
      ...ends,
    };
  },
  escrow_approve: (random) => {
    const parties = escrow(random);
    const who = random.dice.pick([parties.to, parties.agent]);
    return { signer: random.active(who), fee: random.baseFee(), ...parties, who, approve: random.dice.chance(85) };
  },
  escrow_dispute: (random) => {
    const parties = escrow(random);
    const who = random.dice.pick([parties.from, parties.to, parties.agent]);
    return { signer: random.active(who), fee: random.baseFee(), ...parties, who };
  },
  escrow_release: (random) => {
    const parties = escrow(random);
    const who = random.dice.pick([parties.from, parties.to, parties.agent]);
    const held = random.chain.committed.get(escrowTable, { from: parties.from, escrow_id: parties.escrow_id })?.coin_balance ?? 0n;
    const all = `${held / 1_000_000n}.${String(held % 1_000_000n).padStart(6, '0')} COIN`;
    return {
      signer: random.active(who),
      fee: random.baseFee(),
      ...parties,
      who,
      receiver: random.dice.pick([parties.from, parties.to]),
      coin_amount: random.dice.chance(40) ? all : random.coins(50),
    };
  },
};

function escrow(random: RandomValues): { from: string; to: string; agent: string; escrow_id: number } {
  const open = random.chain.committed.range(escrowTable.by_from_id, { limit: 50 });
  if (open.length > 0 && random.dice.chance(85)) {
    const { from, to, agent, escrow_id } = random.dice.pick(open);
    return { from, to, agent: random.dice.chance(97) ? agent : to, escrow_id };
  }
  return { from: random.anyone(), to: random.anyone(), agent: random.anyone(), escrow_id: random.dice.roll(4) };
}
