import type { Codec } from '../codec/codec.ts';
import { fixedHex, text } from '../codec/primitives.ts';
import type { Wire } from './message_kind.ts';

/** 32 bytes as 64 hex digits: the Ed25519 key that a node shows in its certificate. */
export type NodeId = string;

export const nodeId: Codec<NodeId> = fixedHex(32);

const PRINTABLE = /^[\x20-\x7e]*$/;

/** Up to `most` printable ASCII characters: it ends in logs and on terminals. */
export function printable(most: number): Codec<string> {
  return {
    ...text,
    read(input) {
      const value = text.read(input);
      if (value.length > most || !PRINTABLE.test(value))
        input.refuse(`a text of at most ${most} printable characters expected`);
      return value;
    },
  };
}

/** Up to `most` items behind their count. */
export function atMost<T>(most: number, item: Wire<T>): Wire<readonly T[]> {
  return {
    write(out, values) {
      out.varint(values.length);
      for (const value of values) item.write(out, value);
    },
    read(input) {
      const count = input.varint();
      if (count > most) input.refuse(`${count} items, at most ${most} expected`);
      return Array.from({ length: count }, () => item.read(input));
    },
  };
}

/** An integer up to `most`. */
export function bounded(most: number, integer: Codec<number>): Codec<number> {
  return {
    ...integer,
    read(input) {
      const value = integer.read(input);
      if (value > most) input.refuse(`${value}, at most ${most} expected`);
      return value;
    },
  };
}

/** Bytes behind their length in 32 bits, as views of the message. */
export function sizedBytes(most: number): Wire<Uint8Array> {
  return {
    write(out, value) {
      out.u32(value.length);
      out.bytes(value);
    },
    read(input) {
      const count = input.u32();
      if (count > most) input.refuse(`${count} bytes, at most ${most} expected`);
      return input.bytes(count);
    },
  };
}

/** Members one after another. */
export function members<const F extends Readonly<Record<string, Wire<unknown>>>>(fields: F): Wire<MembersOf<F>>;
export function members(fields: Readonly<Record<string, Wire<unknown>>>): Wire<Readonly<Record<string, unknown>>> {
  const entries = Object.entries(fields);
  return {
    write(out, value) {
      for (const [name, wire] of entries) wire.write(out, value[name]);
    },
    read: (input) => Object.fromEntries(entries.map(([name, wire]) => [name, wire.read(input)])),
  };
}

type MembersOf<F> = { readonly [K in keyof F]: F[K] extends Wire<infer T> ? T : never };

/** The value of a wire form. */
export type WireValue<W> = W extends Wire<infer T> ? T : never;
