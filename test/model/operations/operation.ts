import type { Body } from '../body.ts';
import type { Parameters } from '../parameters.ts';
import type { Rules } from '../rules.ts';
import type { State } from '../state.ts';
import type { Authority } from '../values.ts';

/** The required signers. */
export interface Required {
  readonly active?: readonly string[];
  readonly owner?: readonly string[];
  readonly other?: readonly Authority[];
}

/** `free`, one base fee, the creation fee, or a base fee for each beginning of 4096 bytes. */
type FeeKind = 'free' | 'base' | 'creation' | { readonly payloadBytes: number };

/** The rules of one kind of operation (chain_rules.md#operations). */
export interface OperationRules {
  readonly feeAccount: (body: Body) => string;
  readonly fee?: FeeKind | ((body: Body) => FeeKind);
  readonly authorities: (body: Body, rules: Rules) => Required;
  /** Returns the accounts whose history it enters; by default those of the required authorities. */
  readonly impacts?: (body: Body) => readonly string[];
  /** Not available in private nets. */
  readonly isPublicOnly?: boolean;
  readonly validate?: (body: Body, parameters: Parameters) => void;
  readonly apply: (body: Body, state: State) => void;
}

export type OperationTable = Readonly<Record<string, OperationRules>>;
