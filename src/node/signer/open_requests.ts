import type { SignAnswer } from '../../witness/block_signer.ts';

/** What the signer was asked and has not answered: so many at most, then all before are given up. */
export class OpenRequests {
  readonly #most: number;
  readonly #done = new Map<number, (answer: SignAnswer) => void>();

  constructor(most: number) {
    this.#most = most;
  }

  add(number: number, done: (answer: SignAnswer) => void): void {
    if (this.#done.size >= this.#most) this.#done.clear();
    this.#done.set(number, done);
  }

  answer(number: number, answer: SignAnswer): void {
    const done = this.#done.get(number);
    this.#done.delete(number);
    done?.(answer);
  }

  clear(): void {
    this.#done.clear();
  }
}
