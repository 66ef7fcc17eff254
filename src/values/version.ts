import type { Codec } from '../codec/codec.ts';
import { mismatch } from '../codec/decode_error.ts';

/** major‖hardfork‖release in one 32-bit number, so that versions compare as numbers. */
export type Version = number;

const BYTE = '(?:[01]?[0-9]{1,2}|2[0-4][0-9]|25[0-5])';
const PARTS = [BYTE, BYTE, '(?:[0-5]?[0-9]{1,4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])'];

const TEXT = /^(\d{1,3})[._](\d{1,3})[._](\d{1,5})$/;

/** Combines the three parts, of 8, 8 and 16 bits. */
export function makeVersion(major: number, hardfork: number, release: number): Version {
  return major * 0x100_0000 + hardfork * 0x1_0000 + release;
}

/** `major.hardfork.release`. */
export function versionText(version: Version): string {
  return `${version >>> 24}.${(version >>> 16) & 0xff}.${version & 0xffff}`;
}

/** Parses a version; undefined if the text is not one. */
export function parseVersion(text: string): Version | undefined {
  const match = TEXT.exec(text);
  const [major = 0, hardfork = 0, release = 0] = (match ?? []).slice(1).map(Number);
  return match === null || major > 255 || hardfork > 255 || release > 65_535
    ? undefined
    : makeVersion(major, hardfork, release);
}

/** Four bytes; in JSON a dotted string. */
export const version: Codec<Version, string> = {
  write: (out, value) => out.u32(value),
  read: (input) => input.u32(),
  toJson: versionText,
  fromJson: (json) =>
    typeof json === 'string'
      ? (parseVersion(json) ?? mismatch('a version such as 1.2.0', json))
      : mismatch('a version', json),
  initial: () => 0,
  describe: ({ describesGiven = false }) => ({
    type: 'string',
    pattern: `^${PARTS.join(describesGiven ? '[._]' : '[.]')}$`,
    description: 'major and minor below 256, revision below 65536',
  }),
};
