import assert from 'node:assert/strict';

/*
 * The rule by which witnesses vote, small enough to try every order of events: four voters, one of them a liar, two
 * branches. A branch stands for all of its blocks, so votes for two of its blocks count together. Real voters can do
 * less than these: no two final branches here means no two final blocks there.
 */

/** The rules of a vote. Taken away one by one, to show that each is needed. */
export interface VotingRules {
  /** Prepares of a voter rise: one a view, and none in an earlier view. */
  readonly preparesRise: boolean;
  /** A voter prepares what descends from its lock, or from a block with a certificate. */
  readonly hasLock: boolean;
  /** Only a certificate of a view above the lock's opens the lock. */
  readonly onlyHigherOpens: boolean;
  /** A voter commits only what its last prepare was for, in that view. */
  readonly commitsLastPrepare: boolean;
  /** A voter that has lost its journal prepares only what a certificate of a view behind the loss leads to. */
  readonly followsAfterLoss: boolean;
}

export const allRules: VotingRules = {
  preparesRise: true,
  hasLock: true,
  onlyHigherOpens: true,
  commitsLastPrepare: true,
  followsAfterLoss: true,
};

export const HONEST = 3;
export const LIARS = 1;
/** q of four voters. */
export const QUORUM = Math.floor((2 * (HONEST + LIARS)) / 3) + 1;

export type Branch = 1 | 2;
const branches: readonly Branch[] = [1, 2];

/** An honest voter: its votes by view as sets of branches (bits 1 and 2), and the rest of its journal. */
export interface Voter {
  readonly prepares: readonly number[];
  readonly commits: readonly number[];
  readonly lastPrepare: readonly [view: number, branch: number];
  /** View 0 is the boundary that the epoch begins with, from which both branches descend. */
  readonly lock: readonly [view: number, branch: number];
  /** The view in which it lost its journal, after it had voted in that view; 0 if it never did. */
  readonly lostIn: number;
}

/** Which votes have a quorum, the liar's included, who votes for everything. */
export interface Quorums {
  readonly certified: (view: number, branch: Branch) => boolean;
  readonly final: (view: number, branch: Branch) => boolean;
}

/** The further steps of an honest voter. */
export interface Decisions {
  readonly mayPrepare: (voter: Voter, view: number, branch: Branch, quorums: Quorums) => boolean;
  readonly mayCommit: (voter: Voter, view: number, branch: Branch, quorums: Quorums) => boolean;
}

/** The decisions by these rules. */
export function tabulateDecisions(rules: VotingRules, views: number): Decisions {
  return {
    mayPrepare: (voter, view, branch, quorums) => mayPrepare(voter, view, branch, views, rules, quorums),
    mayCommit: (voter, view, branch, quorums) => mayCommit(voter, view, branch, rules, quorums),
  };
}

export interface Explored {
  readonly states: number;
  /** The votes of the honest voters when two branches had become final; undefined when that never happens. */
  readonly twoFinal: string | undefined;
}

/**
 * Tries every order of votes in views 1 to `views`, whatever the network delivers to whom, until two branches are
 * final. With `mayLose` each voter may lose its journal once, at any time.
 */
export function exploreVotes(views: number, decisions: Decisions, mayLose = false): Explored {
  const voters = new VoterRegister(views);
  const start = voters.voterId({
    prepares: Array<number>(views + 1).fill(0),
    commits: Array<number>(views + 1).fill(0),
    lastPrepare: [0, 0],
    lock: [0, 0],
    lostIn: 0,
  });
  const seen = new SeenStates();
  const open: State[] = [[start, start, start]];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (!seen.add(voters.stateKey(state))) continue;
    const quorums = countQuorums(state.map((id) => voters.at(id)));
    if (hasTwoFinal(views, quorums))
      return { states: seen.size, twoFinal: state.map((id) => JSON.stringify(voters.at(id))).join('\n') };
    state.forEach((id, place) => {
      // Voters are alike: of two that have done the same, one moves.
      if (state.indexOf(id) !== place) return;
      const voter = voters.at(id);
      for (const moved of listMoves(voter, views, decisions, quorums))
        open.push(replaced(state, place, voters.voterId(moved)));
      if (mayLose && voter.lostIn === 0 && voter.lastPrepare[0] > 0)
        open.push(replaced(state, place, voters.voterId(forgetful(voter))));
    });
  }
  return { states: seen.size, twoFinal: undefined };
}

function countQuorums(voters: readonly Voter[]): Quorums {
  const count = (votes: (voter: Voter) => number | undefined, branch: Branch): number =>
    LIARS + voters.filter((voter) => ((votes(voter) ?? 0) & branch) !== 0).length;
  return {
    certified: (view, branch) => count(({ prepares }) => prepares[view], branch) >= QUORUM,
    final: (view, branch) => count(({ commits }) => commits[view], branch) >= QUORUM,
  };
}

function hasTwoFinal(views: number, { final }: Quorums): boolean {
  const isFinal = (branch: Branch): boolean => listViews(views).some((view) => final(view, branch));
  return branches.every(isFinal);
}

function listMoves(voter: Voter, views: number, decisions: Decisions, quorums: Quorums): Voter[] {
  const moves: Voter[] = [];
  for (const view of listViews(views))
    for (const branch of branches) {
      if (!hasVoted(voter.prepares, view, branch) && decisions.mayPrepare(voter, view, branch, quorums))
        moves.push(prepared(voter, view, branch));
      if (!hasVoted(voter.commits, view, branch) && decisions.mayCommit(voter, view, branch, quorums))
        moves.push(committed(voter, view, branch));
    }
  return moves;
}

function mayPrepare(
  voter: Voter,
  view: number,
  branch: Branch,
  views: number,
  rules: VotingRules,
  { certified }: Quorums,
): boolean {
  if (rules.preparesRise && view <= voter.lastPrepare[0]) return false;
  if (rules.followsAfterLoss && voter.lostIn > 0 && !canLead(voter.lostIn, view, branch, views, certified))
    return false;
  const [lockView, lockBranch] = voter.lock;
  if (!rules.hasLock || lockView === 0 || lockBranch === branch) return true;
  return listViews(views).some((other) => certified(other, branch) && (other > lockView || !rules.onlyHigherOpens));
}

/** True when the view is behind a loss, and a certificate of a view behind it is for the branch. */
function canLead(
  lostIn: number,
  view: number,
  branch: Branch,
  views: number,
  certified: Quorums['certified'],
): boolean {
  return view > lostIn && listViews(views).some((other) => other > lostIn && certified(other, branch));
}

function mayCommit(voter: Voter, view: number, branch: Branch, rules: VotingRules, { certified }: Quorums): boolean {
  if (!certified(view, branch)) return false;
  const [lastView, lastBranch] = voter.lastPrepare;
  return !rules.commitsLastPrepare || (lastView === view && lastBranch === branch);
}

function hasVoted(votes: readonly number[], view: number, branch: Branch): boolean {
  return ((votes[view] ?? 0) & branch) !== 0;
}

function prepared(voter: Voter, view: number, branch: Branch): Voter {
  return { ...voter, prepares: withVote(voter.prepares, view, branch), lastPrepare: [view, branch] };
}

function committed(voter: Voter, view: number, branch: Branch): Voter {
  return { ...voter, commits: withVote(voter.commits, view, branch), lock: [view, branch] };
}

function forgetful(voter: Voter): Voter {
  return { ...voter, lastPrepare: [0, 0], lock: [0, 0], lostIn: voter.lastPrepare[0] };
}

function withVote(votes: readonly number[], view: number, branch: Branch): number[] {
  return votes.map((vote, each) => (each === view ? vote | branch : vote));
}

function listViews(views: number): number[] {
  return Array.from({ length: views }, (_, index) => index + 1);
}

/** The honest voters, by the ids of what they have done. */
type State = readonly [number, number, number];

function replaced([first, second, third]: State, place: number, id: number): State {
  return [place === 0 ? id : first, place === 1 ? id : second, place === 2 ? id : third];
}

const MAX_VOTERS = 2 ** 17; // three ids fit in a number

/** Numbers each different voter, so that a state is three numbers. */
class VoterRegister {
  readonly #views: number;
  readonly #ids = new Map<string, number>();
  readonly #voters: Voter[] = [];
  readonly #mirrored: number[] = [];

  constructor(views: number) {
    this.#views = views;
  }

  voterId(voter: Voter): number {
    const text = JSON.stringify(voter);
    const known = this.#ids.get(text);
    if (known !== undefined) return known;
    const id = this.#voters.push(voter) - 1;
    assert.ok(id < MAX_VOTERS, `more than ${MAX_VOTERS} voters in ${this.#views} views`);
    this.#ids.set(text, id);
    return id;
  }

  at(id: number): Voter {
    const voter = this.#voters[id];
    assert.ok(voter !== undefined, `no voter ${id}`);
    return voter;
  }

  /** One key for all states that differ only by the names of voters or of branches. */
  stateKey(state: State): number {
    return Math.min(packed(state), packed([this.#mirror(state[0]), this.#mirror(state[1]), this.#mirror(state[2])]));
  }

  #mirror(id: number): number {
    return (this.#mirrored[id] ??= this.voterId(mirrored(this.at(id))));
  }
}

function packed(state: State): number {
  const [low = 0, middle = 0, high = 0] = state.toSorted((one, other) => one - other);
  return (high * MAX_VOTERS + middle) * MAX_VOTERS + low;
}

const swapped = [0, 2, 1, 3] as const;

function mirrored({ prepares, commits, lastPrepare, lock, lostIn }: Voter): Voter {
  const swap = (branch: number): number => swapped[branch] ?? 0;
  return {
    prepares: prepares.map(swap),
    commits: commits.map(swap),
    lastPrepare: [lastPrepare[0], swap(lastPrepare[1])],
    lock: [lock[0], swap(lock[1])],
    lostIn,
  };
}

const SHARDS = 64; // a set of V8 holds at most 2^24 members

class SeenStates {
  readonly #shards = Array.from({ length: SHARDS }, () => new Set<number>());
  size = 0;

  /** False when the state was there. */
  add(key: number): boolean {
    const shard = this.#shards[key % SHARDS];
    if (shard === undefined || shard.has(key)) return false;
    shard.add(key);
    this.size++;
    return true;
  }
}
