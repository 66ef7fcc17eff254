import type { ByteReader, ByteWriter } from './bytes.ts';
import type { Codec, CopyJson } from './codec.ts';
import type { Json } from './json.ts';
import type { WriteText } from './json_text.ts';
import type { EncodingOptions } from './encoding_options.ts';

/** A codec of any type, for lists of codecs; only its own methods know the type. */
// eslint-disable-next-line typescript/no-explicit-any -- the one place where codecs of different types meet
export type AnyCodec = Codec<any, any>;

/** A member of a struct. */
export interface Member {
  readonly name: string;
  readonly codec: AnyCodec;
  readonly isRequired: boolean;
}

/** The compiled functions of a struct. */
export interface Compiled<T> {
  write(out: ByteWriter, value: T): void;
  read(input: ByteReader): T;
  readonly build: (values: readonly unknown[]) => T;
  readonly copy: CopyJson;
  readonly toJson: (value: T, encoding: EncodingOptions) => Json;
  readonly text: WriteText<T>;
}

/** The JSON name of a member, with the coin's name where the declaration says `coin`. */
export function jsonName({ name, codec }: Member, encoding: EncodingOptions): string {
  return codec.hasCoinName === true ? name.replace('coin', encoding.coinName) : name;
}
