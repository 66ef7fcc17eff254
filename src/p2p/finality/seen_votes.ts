import type { VoteSubject } from '../../blocks/finality/vote.ts';

/** Statements of one voter in a view, by digest: several contradict each other. */
type Statements = Map<number, Set<string>>;

/** Remembers which votes were verified, by view, kind and voter. */
export class SeenVotes {
  readonly #views = new Map<number, Map<string, Statements>>();

  /** True when a voter's vote for that digest was verified. */
  has(subject: VoteSubject, digest: string, voter: number): boolean {
    return this.#of(subject)?.get(voter)?.has(digest) === true;
  }

  /** Returns the number of the voter's verified statements in the view of that kind. */
  count(subject: VoteSubject, voter: number): number {
    return this.#of(subject)?.get(voter)?.size ?? 0;
  }

  add(subject: VoteSubject, digest: string, voter: number): void {
    const kinds = this.#views.get(subject.view) ?? new Map<string, Statements>();
    this.#views.set(subject.view, kinds);
    const voters: Statements = kinds.get(subjectName(subject)) ?? new Map<number, Set<string>>();
    kinds.set(subjectName(subject), voters);
    const digests = voters.get(voter) ?? new Set<string>();
    voters.set(voter, digests.add(digest));
  }

  /** Forgets views that do not count any more. */
  forget(isOver: (view: number) => boolean): void {
    for (const view of this.#views.keys()) if (isOver(view)) this.#views.delete(view);
  }

  #of(subject: VoteSubject): Statements | undefined {
    return this.#views.get(subject.view)?.get(subjectName(subject));
  }
}

function subjectName({ kind, voters }: VoteSubject): string {
  return `${kind} ${voters}`;
}
