import type { Alive } from '../../src/blocks/alive.ts';
import type { BlockHeader } from '../../src/blocks/header.ts';
import type { KeySwitch } from '../../src/blocks/key_switch.ts';
import type { BlockSigner } from '../../src/witness/block_signer.ts';
import type { SignAnswer } from '../../src/witness/sign_answer.ts';
import { LocalSigner } from '../../src/witness/local_signer.ts';
import type { SlotToSign } from '../../src/witness/signing_journal.ts';
import { MemoryJournal } from './memory_journal.ts';

/** A signer that answers when a test says so. */
export class SlowSigner implements BlockSigner {
  readonly journal = new MemoryJournal();
  readonly #signer: LocalSigner;
  readonly #open: (() => void)[] = [];

  constructor(secrets: readonly Uint8Array[]) {
    this.#signer = new LocalSigner(secrets, this.journal);
  }

  get keys(): ReadonlySet<string> {
    return this.#signer.keys;
  }

  /** The number of blocks that wait for their signature. */
  get waiting(): number {
    return this.#open.length;
  }

  voting(): undefined {
    return undefined;
  }

  signBlock(slot: SlotToSign, header: BlockHeader, done: (answer: SignAnswer) => void): void {
    this.#open.push(() => this.#signer.signBlock(slot, header, done));
  }

  signAlive(chain: string, alive: Alive, done: (signature: string) => void): void {
    this.#signer.signAlive(chain, alive, done);
  }

  signSwitch(chain: string, terms: KeySwitch, done: (answer: SignAnswer) => void): void {
    this.#open.push(() => this.#signer.signSwitch(chain, terms, done));
  }

  /** Signs what waits. */
  answer(): void {
    for (const sign of this.#open.splice(0)) sign();
  }

  close(): void {
    this.#signer.close();
  }
}
