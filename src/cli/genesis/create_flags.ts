import type { PresetName } from './presets.ts';

/** The flags of the command; undefined ones are asked for at a terminal. */
export interface CreateFlags {
  readonly name?: string;
  readonly preset?: PresetName;
  readonly witnesses?: number;
  readonly accounts?: string;
  readonly out?: string;
  readonly keys?: string;
  readonly passwordFile?: string;
  readonly signingKey?: string;
  readonly set: readonly string[];
  readonly profile: string;
  readonly yes: boolean;
}

/** Flags with what was asked for. */
export type CompleteFlags = CreateFlags & Required<Pick<CreateFlags, 'name' | 'preset' | 'witnesses' | 'out'>>;
