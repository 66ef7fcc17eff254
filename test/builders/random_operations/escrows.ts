import { escrows as escrowTable, type Escrow } from '../../../src/state/tables/escrow.ts';
import { timeText } from '../../../src/values/time.ts';
import type { Makers, RandomValues } from './random_values.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Operations on escrows, mostly on open ones. */
export const escrows: Makers = {
  escrow_transfer: (random) => {
    const [from, to, agent] = [random.anyone(), random.anyone(), random.anyone()];
    const ratification_deadline =
      random.chain.head.time + random.randomSource.pick([HOUR, DAY]) * random.randomSource.roll(30);
    const ends = {
      ratification_deadline: timeText(ratification_deadline),
      escrow_expiration: timeText(
        ratification_deadline + random.randomSource.pick([HOUR, DAY]) * (1 + random.randomSource.roll(30)),
      ),
    };
    return {
      signer: random.active(from),
      fee: random.baseFee(),
      from,
      to,
      coin_amount: random.coins(),
      escrow_id: random.randomSource.roll(4),
      agent,
      escrow_fee: random.coins(10),
      json_meta: '',
      ...ends,
    };
  },
  escrow_approve: (random) => {
    const parties = escrow(random, ({ to_approved, agent_approved }) => !to_approved || !agent_approved);
    const open = held(random, parties);
    const missing = [
      ...(open?.to_approved === false ? [parties.to] : []),
      ...(open?.agent_approved === false ? [parties.agent] : []),
    ];
    const who = random.randomSource.pick(
      missing.length > 0 && random.randomSource.chance(85) ? missing : [parties.to, parties.agent],
    );
    return {
      signer: random.active(who),
      fee: random.baseFee(),
      ...parties,
      who,
      approve: random.randomSource.chance(85),
    };
  },
  escrow_dispute: (random) => {
    const parties = escrow(
      random,
      ({ to_approved, agent_approved, disputed }) => to_approved && agent_approved && !disputed,
    );
    const who = random.randomSource.pick([parties.from, parties.to, parties.to, parties.agent]);
    return { signer: random.active(who), fee: random.baseFee(), ...parties, who };
  },
  escrow_release: (random) => {
    const parties = escrow(random, ({ to_approved, agent_approved }) => to_approved && agent_approved);
    const open = held(random, parties);
    const { from, to, agent } = parties;
    const sides =
      open?.disputed === true
        ? [[agent, random.randomSource.pick([from, to])] as const]
        : ([
            [from, to],
            [to, from],
          ] as const);
    const strangers = [from, to, agent].map((each) => [each, random.randomSource.pick([from, to])] as const);
    const [who, receiver] = random.randomSource.pick(random.randomSource.chance(75) ? sides : strangers);
    const balance = open?.coin_balance ?? 0n;
    const all = `${balance / 1_000_000n}.${String(balance % 1_000_000n).padStart(6, '0')} COIN`;
    return {
      signer: random.active(who),
      fee: random.baseFee(),
      ...parties,
      who,
      receiver,
      coin_amount: random.randomSource.chance(40) ? all : random.coins(50),
    };
  },
};

interface Parties {
  readonly from: string;
  readonly to: string;
  readonly agent: string;
  readonly escrow_id: number;
}

function held(random: RandomValues, { from, escrow_id }: Parties): Escrow | undefined {
  return random.chain.committed.get(escrowTable, { from, escrow_id });
}

/** An open escrow, mostly one to which the operation applies. */
function escrow(random: RandomValues, isMeant: (open: Escrow) => boolean): Parties {
  const open = random.chain.committed.range(escrowTable.by_from_id, { limit: 50 });
  const meant = open.filter(isMeant);
  if (open.length > 0 && random.randomSource.chance(85)) {
    const { from, to, agent, escrow_id } = random.randomSource.pick(
      meant.length > 0 && random.randomSource.chance(85) ? meant : open,
    );
    return {
      from,
      to: random.randomSource.chance(98) ? to : agent,
      agent: random.randomSource.chance(97) ? agent : to,
      escrow_id,
    };
  }
  return { from: random.anyone(), to: random.anyone(), agent: random.anyone(), escrow_id: random.randomSource.roll(4) };
}
