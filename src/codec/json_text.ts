import type { Codec } from './codec.ts';
import { assert } from '../base/assert.ts';
import type { Json } from './json.ts';
import { writeJson } from './json_writer.ts';
import type { EncodingOptions } from './encoding_options.ts';

/**
 * Writes a value as JSON text: the text that `writeJson` would make of `toJson`'s result, without the tree in between.
 */
export type WriteText<T> = (value: T, encoding: EncodingOptions) => string;

type ToJson<T> = (value: T, encoding: EncodingOptions) => Json;

/**
 * The writer of each `toJson` that has one. By function, so that a codec that replaces `toJson` can't inherit a wrong
 * writer.
 */
const writers = new WeakMap<ToJson<unknown>, WriteText<unknown>>();

/** Combines `toJson` with a writer of the same as text. */
export function writing<T>(toJson: ToJson<T>, text: WriteText<T>): ToJson<T>;
export function writing(toJson: ToJson<unknown>, text: WriteText<unknown>): ToJson<unknown> {
  writers.set(toJson, text);
  return toJson;
}

/** The writer of a codec's values: its own, or one that goes by way of the tree. */
export function textWriter<T>(codec: Pick<Codec<T>, 'toJson'>): WriteText<T>;
export function textWriter({ toJson }: Pick<Codec<unknown>, 'toJson'>): WriteText<unknown> {
  return writers.get(toJson) ?? ((value, encoding) => writeJson(toJson(value, encoding)));
}

/** The text of a number that is finite. */
export function numberText(value: number): string {
  assert(Number.isFinite(value), 'a number in an answer is finite');
  return `${value}`;
}

/** A text that needs no escapes, in quotes. */
export function plainText(value: string): string {
  return `"${value}"`;
}
