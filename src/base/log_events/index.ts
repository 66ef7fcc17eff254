import type { EventLevel, FieldKind, LogEvent } from './event.ts';
import { chainEvents } from './chain_events.ts';
import { networkEvents } from './network_events.ts';
import { programEvents } from './program_events.ts';
import { signingEvents } from './signing_events.ts';
import { sinkEvents } from './sink_events.ts';
import { snapshotEvents } from './snapshot_events.ts';
import { votingEvents } from './voting_events.ts';
import { watchEvents } from './watch_events.ts';
import { witnessEvents } from './witness_events.ts';

/** All events by subject. A log line names one of them. */
export const logEventsBySubject: Readonly<Record<string, Readonly<Record<string, LogEvent>>>> = {
  Program: programEvents,
  Load: watchEvents,
  Chain: chainEvents,
  Network: networkEvents,
  Witness: witnessEvents,
  Signing: signingEvents,
  Finality: votingEvents,
  Snapshots: snapshotEvents,
  'Index and event stream': sinkEvents,
};

export const logEvents = {
  ...programEvents,
  ...watchEvents,
  ...chainEvents,
  ...networkEvents,
  ...witnessEvents,
  ...signingEvents,
  ...votingEvents,
  ...snapshotEvents,
  ...sinkEvents,
};

type LogEvents = typeof logEvents;

/** The name of a declared event. */
export type EventName = keyof LogEvents;

/** The names of the events of a level. */
export type EventNames<Level extends EventLevel> = {
  [Name in EventName]: LogEvents[Name]['level'] extends Level ? Name : never;
}[EventName];

type FieldValue<Kind> = Kind extends 'string'
  ? string
  : Kind extends 'number'
    ? number
    : Kind extends 'boolean'
      ? boolean
      : Kind extends 'string?'
        ? string | undefined
        : Kind extends 'number?'
          ? number | undefined
          : never;

type Fields<Event> = Event extends { readonly fields: infer Kinds extends Readonly<Record<string, FieldKind>> }
  ? { readonly [Field in keyof Kinds]: FieldValue<Kinds[Field]> }
  : Readonly<Record<string, never>>;

/** Writes a line of a level: the text for people, its event, and the fields that the event declares. */
export type WriteLine<Level extends EventLevel> = <Name extends EventNames<Level>>(
  text: string,
  event: Name,
  fields: Fields<LogEvents[Name]>,
) => void;
