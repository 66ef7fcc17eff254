import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { VerifiedTransaction } from '../../blocks/transaction.ts';
import type { Chain } from '../../chain/chain.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import type { BlockSigner } from '../../witness/block_signer.ts';
import type { SlotHistory } from '../../witness/slot_history.ts';
import type { FromWriter } from './messages.ts';
import type { MovableClock } from './movable_clock.ts';

/** What production is built from. */
export interface ProductionParts {
  readonly chain: Chain;
  /** The chain's time; `machineClock` is the machine's. */
  readonly clock: MovableClock;
  readonly machineClock: Clock;
  readonly parameters: ChainParameters;
  readonly log: Log;
  readonly signer: BlockSigner;
  readonly history: SlotHistory;
  readonly tell: (message: FromWriter) => void;
  /** Sends a transaction to the network; why it is refused, undefined when it isn't. */
  readonly send: (transaction: VerifiedTransaction) => string | undefined;
  /** Ends the writer when `run` throws what is no refusal. */
  readonly guard: (run: () => void) => void;
}
