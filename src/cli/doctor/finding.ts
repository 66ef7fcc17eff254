/** A finding is fine, worth a look, or a fault that stops or endangers the node. */
export type State = 'ok' | 'look' | 'wrong';

/** One thing that was looked at, as a sentence, and what to do about it where it isn't ok. */
export interface Finding {
  readonly state: State;
  readonly found: string;
  /** Empty where nothing is to be done. */
  readonly advice: string;
}

export function ok(found: string): Finding {
  return { state: 'ok', found, advice: '' };
}

export function look(found: string, advice: string): Finding {
  return { state: 'look', found, advice };
}

export function wrong(found: string, advice: string): Finding {
  return { state: 'wrong', found, advice };
}
