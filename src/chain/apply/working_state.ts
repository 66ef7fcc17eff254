import type { ChainEvent, ChainState } from '../../state/chain_state.ts';
import { Consequences, consequenceLimits, type ConsequenceLimits } from '../../state/consequences.ts';
import type { ChainParameters } from '../../state/parameters.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import type { UndoSessions } from '../../storage/undo_session.ts';
import type { HistorySequences } from './history_sequences.ts';
import { Journal } from './journal.ts';

/** The state while a block is open: its rows in sessions, and the journal of its other effects. */
export class WorkingState implements ChainState {
  readonly rows: UndoSessions;
  readonly parameters: ChainParameters;
  readonly sequences: HistorySequences;
  readonly journal = new Journal();
  readonly consequences = new Consequences();
  /** The limits on a transaction's consequences where these are bounded. */
  readonly consequenceLimits: ConsequenceLimits;
  isAccepting = false;

  readonly remark: (sentence: string) => void;

  constructor(
    rows: UndoSessions,
    parameters: ChainParameters,
    sequences: HistorySequences,
    remark: (sentence: string) => void,
  ) {
    this.rows = rows;
    this.parameters = parameters;
    this.consequenceLimits = consequenceLimits(parameters);
    this.sequences = sequences;
    this.remark = remark;
  }

  emit(event: ChainEvent): void {
    this.journal.noteEvent(event, this.rows.only(dynamicGlobalProperties).time);
  }
}
