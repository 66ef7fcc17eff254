import type { ByteReader, ByteWriter } from './bytes.ts';
import type { Codec, CopyJson } from './codec.ts';
import type { Json } from './json.ts';
import type { WriteText } from './json_text.ts';
import type { Notation } from './notation.ts';

/** A codec of any type, for lists of codecs; only its own methods know the type. */
// eslint-disable-next-line typescript/no-explicit-any -- the one place where codecs of different types meet
export type AnyCodec = Codec<any, any>;

/** A member of a struct. */
export interface Member {
  readonly name: string;
  readonly codec: AnyCodec;
  readonly isRequired: boolean;
}

/** What is compiled for a struct. */
export interface Compiled<T> {
  write(out: ByteWriter, value: T): void;
  read(input: ByteReader): T;
  readonly build: (values: readonly unknown[]) => T;
  readonly copy: CopyJson;
  readonly toJson: (value: T, notation: Notation) => Json;
  readonly text: WriteText<T>;
}

/** The JSON name of a member, with the chain's own word where the declaration says `coin`. */
export function jsonName({ name, codec }: Member, notation: Notation): string {
  return codec.worded === true ? name.replace('coin', notation.word) : name;
}
