import { schemaFingerprint } from '../event_schema.ts';
import type { EventForm } from '../event_form.ts';
import type { EventKind, Mark } from '../sink.ts';

const names = {
  event: 'Pharos-Event',
  block: 'Pharos-Block',
  previous: 'Pharos-Previous',
  head: 'Pharos-Head',
  message: 'Pharos-Message',
  irreversible: 'Pharos-Irreversible',
  form: 'Pharos-Form',
  schema: 'Pharos-Schema',
  contentType: 'Content-Type',
} as const;

const END = ' end';
const kinds: readonly EventKind[] = ['block', 'operation', 'undo', 'irreversible'];
const ID = /^[0-9a-f]{40}$/;

/** The headers of a message, by name. */
export function markHeaders(mark: Mark, form: EventForm): readonly (readonly [string, string])[] {
  return [
    [names.event, mark.event],
    [names.block, mark.block],
    [names.previous, mark.previous],
    [names.head, mark.head],
    [names.message, `${mark.message}${mark.isEnd ? END : ''}`],
    [names.irreversible, String(mark.irreversible)],
    [names.form, mark.form],
    [names.schema, schemaFingerprint],
    [names.contentType, form.contentType],
  ];
}

/** Reads the mark in the headers; undefined for a message that a node has not written. */
export function readMark(header: (name: string) => string): Mark | undefined {
  const event = kinds.find((kind) => kind === header(names.event));
  const [block, previous, head] = [header(names.block), header(names.previous), header(names.head)];
  const message = /^(\d{1,9})( end)?$/.exec(header(names.message));
  const irreversible = Number.parseInt(header(names.irreversible), 10);
  if (event === undefined || message === null || Number.isNaN(irreversible)) return undefined;
  if (![block, previous, head].every((id) => ID.test(id))) return undefined;
  return {
    ...{ event, block, previous, head, irreversible },
    message: Number(message[1]),
    isEnd: message[2] !== undefined,
    form: header(names.form),
  };
}
