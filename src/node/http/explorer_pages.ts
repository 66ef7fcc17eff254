import type { Clock } from '../../base/clock.ts';
import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import type { MissedSlotsFile } from '../../data_folder/missed_slots_file.ts';
import type { ChainFollower } from '../../feed/chain_feed.ts';
import type { CommittedState } from '../../queries/committed_state.ts';
import { BlockFigures } from './block_figures.ts';
import { BlockFinality, type BlockFinalityParts } from './block_finality.ts';
import { BrowserPages, PAGES_FOLDER } from './browser_pages.ts';
import { ChainHour } from './chain_hour.ts';
import { LastHour, type SampledParts } from './last_hour.ts';
import { MissedWeek } from './missed_week.ts';
import { shortIdPage } from './short_ids.ts';

/** The chain, and the figures that the pages show of it. */
export interface ExplorerParts {
  readonly rows: CommittedState;
  readonly clock: Clock;
  readonly parameters: BlockFinalityParts['parameters'];
  /** Undefined on a chain without votes. */
  readonly finality: BlockFinalityParts['finality'] | undefined;
  /** Undefined where nothing is on a disk. */
  readonly missedSlots: MissedSlotsFile | undefined;
  readonly sampled: SampledParts;
}

/** The explorer and the docs for browsers, and the pages of figures that they ask for beside calls. */
export class ExplorerPages {
  readonly #lastHour: LastHour;
  readonly #chainHour: ChainHour;
  readonly #missedWeek: MissedWeek;
  readonly #shortIds: (path: string) => Page | undefined;
  readonly #blockFigures: BlockFigures;
  readonly #blockFinality: BlockFinality | undefined;
  readonly #browserPages = new BrowserPages(PAGES_FOLDER);

  constructor({ rows, clock, finality, parameters, missedSlots, sampled }: ExplorerParts) {
    this.#lastHour = new LastHour(sampled);
    this.#chainHour = new ChainHour(rows);
    this.#missedWeek = new MissedWeek({ rows, clock, file: missedSlots });
    this.#shortIds = shortIdPage(rows);
    this.#blockFigures = new BlockFigures(rows);
    this.#blockFinality = finality === undefined ? undefined : new BlockFinality({ rows, finality, parameters });
  }

  /** The parts that hear of each block. */
  get followers(): readonly ChainFollower[] {
    return this.#blockFinality === undefined ? [this.#missedWeek] : [this.#missedWeek, this.#blockFinality];
  }

  /** `standing` is the body of /readyz. */
  page(path: string, requestSource: PageRequestSource, standing: () => string): Page | Promise<Page> | undefined {
    return this.#lastHour.page(path, requestSource, standing) ?? this.#browserPages.page(path, requestSource);
  }

  /** A page of figures of the chain, which is read from the state as the answer of a call is. */
  chainPage(path: string): Page | undefined {
    return (
      this.#chainHour.page(path) ??
      this.#missedWeek.page(path) ??
      this.#shortIds(path) ??
      this.#blockFigures.page(path) ??
      this.#blockFinality?.page(path)
    );
  }

  stop(): void {
    this.#lastHour.stop();
    this.#missedWeek.stop();
  }
}
