/** Credit that grows by a rate, up to a reserve of some seconds. A peer without credit waits; that is no offence. */
export class Bucket {
  #perMs: number;
  #most: number;
  #credit: number;
  #atMs: number;

  constructor(perSecond: number, deepSeconds: number, nowMs: number) {
    this.#perMs = perSecond / 1000;
    this.#most = perSecond * deepSeconds;
    this.#credit = this.#most;
    this.#atMs = nowMs;
  }

  /** False, and nothing spent, when there is not enough. */
  take(count: number, nowMs: number): boolean {
    this.#grow(nowMs);
    if (this.#credit < count) return false;
    this.#credit -= count;
    return true;
  }

  /** In how many milliseconds there will be enough of it, if nobody else takes any. */
  waitMs(count: number, nowMs: number): number {
    this.#grow(nowMs);
    return Math.ceil(Math.max(0, Math.min(count, this.#most) - this.#credit) / this.#perMs);
  }

  /** Takes what is more than the reserve, too: then there is a debt to wait for. A negative count gives back. */
  owe(count: number, nowMs: number): void {
    this.#grow(nowMs);
    this.#credit = Math.min(this.#most, this.#credit - count);
  }

  /** The debt: credit that was taken beyond what there was. */
  debt(nowMs: number): number {
    this.#grow(nowMs);
    return Math.max(0, -this.#credit);
  }

  /** Takes what there is. A debt stays. */
  empty(nowMs: number): void {
    this.#grow(nowMs);
    this.#credit = Math.min(this.#credit, 0);
  }

  /** Sets the rate and the reserve. A debt stays. */
  setRate(perSecond: number, deepSeconds: number, nowMs: number): void {
    this.#grow(nowMs);
    this.#perMs = perSecond / 1000;
    this.#most = perSecond * deepSeconds;
    this.#credit = Math.min(this.#credit, this.#most);
  }

  #grow(nowMs: number): void {
    // A clock that was set back gives nothing.
    this.#credit = Math.min(this.#most, this.#credit + Math.max(0, nowMs - this.#atMs) * this.#perMs);
    this.#atMs = nowMs;
  }
}
