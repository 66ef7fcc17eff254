import type { ByteReader, ByteWriter } from '../bytes.ts';
import { writeJson } from '../json_writer.ts';
import type { Compiled, Member } from '../struct_member.ts';

// The same as straight_line.ts where no text can be compiled to functions: slower, for programs that sign a few
// transactions.

type Values = Record<string, unknown>;

/** The functions of a struct. */
export function compile<T>(members: readonly Member[]): Compiled<T>;
export function compile(members: readonly Member[]): Compiled<Values> {
  const build = (values: readonly unknown[]): Values =>
    Object.fromEntries(members.map(({ name }, index) => [name, values[index]]));
  const toJson: Compiled<Values>['toJson'] = (value, encoding) =>
    Object.fromEntries(members.map(({ name, codec }) => [name, codec.toJson(value[name], encoding)]));
  return {
    write(out: ByteWriter, value) {
      for (const { name, codec } of members) codec.write(out, value[name]);
    },
    read: (input: ByteReader) => build(members.map((member): unknown => member.codec.read(input))),
    build,
    // `fromJson` decides.
    copy: () => false,
    toJson,
    text: (value, encoding) => {
      const present = members.filter(({ name }) => value[name] !== undefined);
      return writeJson(
        Object.fromEntries(present.map(({ name, codec }) => [name, codec.toJson(value[name], encoding)])),
      );
    },
  };
}

/** A function that copies an object with some members replaced. */
export function copier(
  _members: readonly string[],
  replaced: readonly string[],
): (value: object, changes: object) => object {
  return (value, changes) => ({
    ...value,
    ...Object.fromEntries(Object.entries(changes).filter(([name]) => replaced.includes(name))),
  });
}
