import type { Codec } from '../codec/codec.ts';
import { DecodeError, mismatch, shownJson } from '../codec/decode_error.ts';
import { accountName, canonicalName, type AccountName } from './account_name.ts';
import { refusals } from '../base/refusal.ts';
import { text as textCodec } from '../codec/primitives.ts';
import { limitedText } from './limited_text.ts';
import { MAX_APPLICATION_NAME_BYTES } from './limits.ts';

/** The state keeps this many characters of a name: they are base64 for 24 bytes. */
export const KEPT_CHARACTERS = 32;

/** A character of a text that the state would not give back, and its position, counted from 1. */
export interface NarrowedCharacter {
  readonly position: number;
  readonly found: string;
}

/**
 * The first character that the name of an application would lose or change in the state; undefined if the text comes
 * back unchanged.
 */
export function narrowedCharacter(text: string): NarrowedCharacter | undefined {
  const foreign = /[^A-Za-z0-9_-]/u.exec(text);
  const beyond = text.length > KEPT_CHARACTERS ? KEPT_CHARACTERS : undefined;
  // Zero bits at the end are no part of a name, and `A` is the digit of six of them.
  const index = foreign?.index ?? beyond ?? /A+$/.exec(text)?.index;
  if (index === undefined) return undefined;
  return { position: index + 1, found: shownJson(String.fromCodePoint(text.codePointAt(index) ?? 0)) };
}

/**
 * The name of an application in the state: 24 bytes like an account name (chain_rules.md#application-names). The
 * lineage reads the valid beginning of any text, so a text that created an application also finds it; otherwise only a
 * text that comes back unchanged is a name.
 */
export const applicationName: Codec<AccountName, string> = {
  ...accountName,
  fromJson: (json, { readsLineage = false }) => {
    if (typeof json !== 'string') return mismatch('the name of an application', json);
    if (!readsLineage) requireUnchanged(json);
    return canonicalName(json) ?? mismatch('the name of an application that is not all A', json);
  },
  describe: ({ readsLineage = false }) =>
    readsLineage
      ? { type: 'string', description: 'name of an application; its valid beginning is not all A' }
      : { type: 'string', pattern: '^(?:[A-Za-z0-9_-]{0,31}[B-Za-z0-9_-])?$', description: 'name of an application' },
};

function requireUnchanged(text: string): void {
  const narrowed = narrowedCharacter(text);
  if (narrowed === undefined) return;
  const character = `character ${narrowed.position} is ${narrowed.found}`;
  const rule = `names have at most ${KEPT_CHARACTERS} characters of A-Z a-z 0-9 - _, the last of them no A`;
  throw new DecodeError(`${shownJson(text)} is no name of an application: ${character}, and ${rule}`);
}

const refuse = refusals({
  name_too_long: {
    text: 'the name has {bytes} bytes; that of an application has at most {most}',
    lineage: 'Name is too long',
  },
});

/** The refusals of reading the name of an application. */
export const longName = refuse.texts;

/** The name of an application as an operation gives it. */
export const sentName = limitedText(textCodec, MAX_APPLICATION_NAME_BYTES, refuse.name_too_long);

/** Refuses the name of an application that has more bytes than are taken. */
export function requireShortName(name: string): void {
  const bytes = Buffer.byteLength(name);
  if (bytes > MAX_APPLICATION_NAME_BYTES) refuse.name_too_long({ bytes, most: MAX_APPLICATION_NAME_BYTES });
}
