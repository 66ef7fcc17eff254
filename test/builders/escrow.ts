import { escrowApprove } from '../../src/operations/escrow_approve.ts';
import { escrowTransfer } from '../../src/operations/escrow_transfer.ts';
import { escrows, type Escrow } from '../../src/state/tables/escrow.ts';
import { Ledger, START } from './ledger.ts';

const coins = (amount: bigint): { amount: bigint; symbol: string } => ({ amount, symbol: 'COIN' });

/** The members by which operations identify the escrow that `proposedEscrow` makes. */
export const parties = { fee: coins(10_000n), from: 'alice', to: 'bob', agent: 'agent', escrow_id: 7 };

/** Seconds after the start at which the escrow must be approved, and at which it expires. */
export const DEADLINE = 100;
export const EXPIRATION = 200;

/** A ledger with an escrow of alice for bob: 5 COIN, and 0.1 COIN for the agent. `dave` has nothing to do with it. */
export function proposedEscrow(): Ledger {
  const ledger = new Ledger({ names: ['alice', 'bob', 'agent', 'dave'] });
  ledger.apply(
    escrowTransfer.of({
      ...parties,
      coin_amount: coins(5_000_000n),
      escrow_fee: coins(100_000n),
      json_meta: '',
      ratification_deadline: START + DEADLINE,
      escrow_expiration: START + EXPIRATION,
    }),
  );
  return ledger;
}

/** The same ledger after both have approved. */
export function approvedEscrow(): Ledger {
  const ledger = proposedEscrow();
  for (const who of ['bob', 'agent']) ledger.apply(escrowApprove.of({ ...parties, who, approve: true }));
  return ledger;
}

/** The current escrow; undefined when there is none. */
export function findEscrow(ledger: Ledger): Escrow | undefined {
  return ledger.rows.get(escrows, { from: parties.from, escrow_id: parties.escrow_id });
}

/** Changes the row directly, to make a state that a test needs. */
export function changeEscrow(ledger: Ledger, changes: Partial<Escrow>): void {
  const escrow = findEscrow(ledger);
  if (escrow !== undefined) ledger.change(({ rows }) => rows.put(escrows, { ...escrow, ...changes }));
}
