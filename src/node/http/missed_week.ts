import type { Clock } from '../../base/clock.ts';
import type { MissedSample, MissedSlotsFile } from '../../data_folder/missed_slots_file.ts';
import type { ChainFollower } from '../../feed/chain_feed.ts';
import type { Page } from '../../jsonrpc/http/http_server.ts';
import { blockRow, oldestBlock } from '../../state/stored_blocks.ts';
import { dynamicGlobalProperties } from '../../state/tables/dynamic_global_property.ts';
import { witnesses } from '../../state/tables/witness.ts';
import type { CommittedRows } from '../../storage/rows.ts';
import { timeText } from '../../values/time.ts';
import { jsonPage } from '../../jsonrpc/http/json_page.ts';

const HOUR_SECONDS = 3600;
const HOUR_MS = 3_600_000;
const WEEK_SECONDS = 7 * 86_400;
/** A week of hours, and the sample that began before it. */
const MOST_SAMPLES = 169;
/** Witnesses by votes whose misses are kept: a sample is a millisecond an hour, and a week of them 2 MB at most. */
const MOST_WITNESSES = 300;

/** The chain, and the file that outlives a restart. */
export interface MissedWeekParts {
  readonly rows: CommittedRows;
  readonly clock: Clock;
  /** Undefined where nothing is on a disk. */
  readonly file: MissedSlotsFile | undefined;
}

/**
 * Slots that each witness has missed in the last seven days. The chain keeps a total alone, so the totals of each hour
 * of the chain are kept here, and in a file.
 */
export class MissedWeek implements ChainFollower {
  readonly #parts: MissedWeekParts;
  /** Oldest first. */
  #samples: readonly MissedSample[];
  #isWritten = true;
  #writtenAtMs: number;
  #answer = { head: '', body: '' };

  constructor(parts: MissedWeekParts) {
    this.#parts = parts;
    this.#samples = (parts.file?.read() ?? []).slice(-MOST_SAMPLES);
    this.#writtenAtMs = parts.clock.nowMs();
    this.#look();
  }

  stop(): void {
    this.#write();
  }

  takeUpdate(): void {
    this.#look();
  }

  takeGap(): void {
    this.#look();
  }

  page(): Page {
    const { head_block_id: head } = this.#parts.rows.only(dynamicGlobalProperties);
    if (head !== this.#answer.head) this.#answer = { head, body: this.#body() };
    return jsonPage(this.#answer.body);
  }

  /** Takes a sample each hour of the chain; a chain that catches up with months has none until its last week. */
  #look(): void {
    const { rows, clock } = this.#parts;
    const { time } = rows.only(dynamicGlobalProperties);
    const newest = this.#samples.at(-1);
    const isRecent = time > clock.nowMs() / 1000 - WEEK_SECONDS - HOUR_SECONDS;
    if (newest !== undefined && (!isRecent || (newest.time <= time && time < newest.time + HOUR_SECONDS))) return;
    // A chain that was set back has samples of a time to come.
    this.#samples = [...this.#samples.filter((sample) => sample.time < time), this.#sample()].slice(-MOST_SAMPLES);
    this.#isWritten = false;
    if (clock.nowMs() - this.#writtenAtMs >= HOUR_MS) this.#write();
  }

  #write(): void {
    if (this.#isWritten) return;
    this.#parts.file?.write(this.#samples);
    this.#isWritten = true;
    this.#writtenAtMs = this.#parts.clock.nowMs();
  }

  #sample(): MissedSample {
    const { rows } = this.#parts;
    const { head_block_number: number, head_block_id: id, time } = rows.only(dynamicGlobalProperties);
    const listed = rows.range(witnesses.by_vote_name, { limit: MOST_WITNESSES });
    return { number, id, time, missed: new Map(listed.map(({ owner, total_missed }) => [owner, total_missed])) };
  }

  #body(): string {
    const now = this.#sample();
    const since = this.#begin(now);
    const differences = [...now.missed].flatMap(([owner, total]): [string, number][] => {
      // A complete list without it is of a time before it became a witness.
      const before = since.missed.get(owner) ?? (since.missed.size < MOST_WITNESSES ? 0 : undefined);
      return before === undefined ? [] : [[owner, Math.max(0, total - before)]];
    });
    return JSON.stringify({ since: timeText(since.time), missed: Object.fromEntries(differences) });
  }

  /** The sample of this chain that is nearest to a week ago. */
  #begin(now: MissedSample): MissedSample {
    const distance = ({ time }: MissedSample): number => Math.abs(time - (now.time - WEEK_SECONDS));
    const nearest = [...this.#genesis(), ...this.#samples].toSorted((a, b) => distance(a) - distance(b));
    return nearest.find((sample) => sample.time <= now.time && this.#has(sample)) ?? now;
  }

  /** At the beginning of the chain nobody had missed a slot. */
  #genesis(): MissedSample[] {
    const first = blockRow(this.#parts.rows, 1);
    return first === undefined ? [] : [{ number: 0, id: '', time: first.time_before, missed: new Map() }];
  }

  /** A block that was undone, or that another chain had in this folder, is no beginning. */
  #has({ number, id }: MissedSample): boolean {
    const { rows } = this.#parts;
    return number < oldestBlock(rows) || blockRow(rows, number)?.id === id;
  }
}
