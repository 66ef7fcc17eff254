import { copyInAnyOrder, type CopiedMember } from './any_order.ts';
import type { ByteWriter } from './bytes.ts';
import type { CopyJson } from './codec.ts';
import { textWriter } from './json_text.ts';
import type { EncodingOptions } from './encoding_options.ts';
import type { PlainJson } from './plain_json.ts';
import { jsonName, type Compiled, type Member } from './struct_member.ts';

// Browsers may forbid to compile text: the package pharos-client takes portable/straight_line.ts instead.

/** All functions at once: to compile text costs by the call, and what nobody calls is never compiled in full. */
export function compile<T>(members: readonly Member[]): Compiled<T> {
  const names = members.flatMap((_, index) => [`c${index}`, `n${index}`, `f${index}`, `t${index}`]);
  const copied = members.map(copiedMember);
  const values = members.flatMap(({ codec }, index) => [
    codec,
    copied[index]?.quotedName,
    copied[index]?.copy,
    textWriter(codec),
  ]);
  const anyOrder = (first: number, from: PlainJson, out: ByteWriter, encoding: EncodingOptions): boolean =>
    copyInAnyOrder(copied, first, from, out, encoding);
  const source = `return {
    write(out, value) { ${memberSource(members, ' ', (key, k) => `c${k}.write(out, value[${key}]);`)} },
    read(input) { return { ${memberSource(members, ', ', (key, k) => `${key}: c${k}.read(input)`)} }; },
    build: (values) => ({ ${memberSource(members, ', ', (key, k) => `${key}: values[${k}]`)} }),
    copy(from, out, encoding) { ${copySource(members)} },
    // Objects created by one literal share a shape, which halves their cost, also when they are written as text.
    toJson: (value, encoding) => ({ ${memberSource(members, ', ', (key, k) => `${key}: c${k}.toJson(value[${key}], encoding)`)} }),
    text: (value, encoding) => ${textSource(members)},
  };`;
  return new Function('anyOrder', ...names, source)(anyOrder, ...values);
}

function memberSource(
  members: readonly Member[],
  separator: string,
  one: (key: string, index: number) => string,
): string {
  return members.map(({ name }, index) => one(JSON.stringify(name), index)).join(separator);
}

/** Converts members for as long as they come in their declared order, and then what is left in any. */
function copySource(members: readonly Member[]): string {
  const steps = members.map(
    ({ codec }, index) =>
      `if (!from.member(n${index}${codec.hasCoinName === true ? '(encoding)' : ''})) return anyOrder(${index}, from, out, encoding);
      if (!f${index}(from, out, encoding)) return false;`,
  );
  return `${steps.join('\n')} return true;`;
}

/** Straight-line concatenation: a third of the cost of a tree and its text. */
function textSource(members: readonly Member[]): string {
  const parts = members.map(({ name, codec }, index) => {
    const start = JSON.stringify(`${index === 0 ? '' : ','}${JSON.stringify(name)}:`);
    const value = `value[${JSON.stringify(name)}]`;
    const part = `${start} + t${index}(${value}, encoding)`;
    return codec.optional === true ? `(${value} === undefined ? '' : ${part})` : part;
  });
  return ["'{'", ...parts, "'}'"].join(' + ');
}

const cannotCopy: CopyJson = () => false;

function copiedMember(member: Member): CopiedMember {
  const { codec, isRequired } = member;
  const writeInitial = (out: ByteWriter, encoding: EncodingOptions): void => codec.write(out, codec.initial(encoding));
  return {
    quotedName: quotedName(member),
    copy: codec.fromJson.copy ?? cannotCopy,
    writeInitial: isRequired ? undefined : writeInitial,
  };
}

/** The bytes of a name in quotes; if it contains the coin's name, cached for each word used. */
function quotedName(member: Member): Uint8Array | ((encoding: EncodingOptions) => Uint8Array) {
  if (member.codec.hasCoinName !== true) return Buffer.from(JSON.stringify(member.name));
  const byWord = new Map<string, Uint8Array>();
  return (encoding) => {
    const known = byWord.get(encoding.coinName) ?? Buffer.from(JSON.stringify(jsonName(member, encoding)));
    byWord.set(encoding.coinName, known);
    return known;
  };
}

/** A function that copies an object of these members with some of them replaced, in straight-line code. */
export function copier(
  members: readonly string[],
  replaced: readonly string[],
): (value: object, changes: object) => object {
  const copies = members.map((name) => {
    const key = JSON.stringify(name);
    return `${key}: ${replaced.includes(name) ? 'changes' : 'value'}[${key}]`;
  });
  return copying(new Function(`return (value, changes) => ({ ${copies.join(', ')} });`)());
}

function copying(compiled: unknown): (value: object, changes: object) => object;
function copying(compiled: unknown): unknown {
  return compiled;
}
