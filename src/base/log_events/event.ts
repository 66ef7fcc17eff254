/** The levels of log lines, from the least urgent. */
export type EventLevel = 'debug' | 'notice' | 'warning' | 'error';

/** Tells the operator how urgent each level is. */
export const levelMeanings: Readonly<Record<EventLevel, string>> = {
  debug: 'A detail for somebody who looks for a cause. The default level leaves it out.',
  notice: 'A fact of normal operation. Do nothing.',
  warning: 'A person should look at it on the same day.',
  error: 'The node does not do what it is there for. Act now.',
};

/** The type of a field; with `?`, the line may lack it. */
export type FieldKind = 'string' | 'number' | 'boolean' | 'string?' | 'number?';

/** A kind of log line. Its name is stable: programs filter by it. */
export interface LogEvent {
  readonly level: EventLevel;
  readonly fields?: Readonly<Record<string, FieldKind>>;
  /**
   * The fields that tell one cause from another. A cause is logged at most once a minute. Without this list, lines with
   * different texts, or different fields of kind `string`, have different causes.
   */
  readonly cause?: readonly string[];
  readonly meaning: string;
  readonly action: string;
}

/** Declares the events of a subject by their names. */
export function declareEvents<const Events extends Readonly<Record<string, LogEvent>>>(events: Events): Events {
  return events;
}

export const NOTHING_TO_DO = 'Nothing.';
