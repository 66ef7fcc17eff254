import type { Alive } from '../blocks/alive.ts';
import type { BlockHeader } from '../blocks/header.ts';
import type { KeySwitch } from '../blocks/key_switch.ts';
import type { Digest, Signature } from '../values/hash.ts';
import type { PublicKey } from '../values/public_key.ts';
import type { LockableSlots, SlotToSign } from './signing_journal.ts';
import type { SignAnswer } from './sign_answer.ts';
import type { VotingSigner } from './voting_signer.ts';

/** Signs blocks, here or in another process. */
export interface BlockSigner {
  readonly keys: ReadonlySet<PublicKey>;
  /** Its record of signed blocks; undefined when nobody else can have the chain's key. */
  readonly journal: LockableSlots | undefined;
  /** Signs votes of a chain; undefined where nothing remembers them. */
  voting(chain: Digest): VotingSigner | undefined;
  /** Nobody waits for the answer: `done` is called with it once, at once or later, or never. */
  signBlock(slot: SlotToSign, header: BlockHeader, done: (answer: SignAnswer) => void): void;
  /**
   * The same for an `alive`, which needs no journal: `done` is called with its signature once, at once or later, or
   * never.
   */
  signAlive(chain: Digest, alive: Alive, done: (signature: Signature) => void): void;
  /**
   * The same for the switch of one of its keys to a standby's that its operator has named; nothing else is signed so.
   */
  signSwitch(chain: Digest, terms: KeySwitch, done: (answer: SignAnswer) => void): void;
  close(): void;
}
