import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import type { MissedSlotsFile } from '../../data_folder/missed_slots_file.ts';
import type { ChainFollower } from '../../feed/chain_feed.ts';
import type { Services } from '../../rpc/services.ts';
import { blockFiguresPage } from '../../rpc/block_figures.ts';
import { figurePage, type FigureAnswers } from '../../rpc/figure_pages.ts';
import { pendingPage } from '../../rpc/pending_page.ts';
import { shortIdPage } from '../../rpc/short_ids.ts';
import { BlockFinality } from './block_finality.ts';
import { BrowserPages, PAGES_FOLDER } from './browser_pages.ts';
import { ChainHour } from './chain_hour.ts';
import { LastHour, type SampledParts } from './last_hour.ts';
import { MissedWeek } from './missed_week.ts';

/** The chain, and the figures that the pages show of it. */
export interface ExplorerParts {
  readonly services: Pick<Services, 'rows' | 'clock' | 'parameters' | 'finality' | 'intake' | 'symbols'>;
  /** Undefined where nothing is on a disk. */
  readonly missedSlots: MissedSlotsFile | undefined;
  readonly sampled: SampledParts;
}

/** The explorer and the docs for browsers, and the pages of figures that they ask for beside calls. */
export class ExplorerPages {
  /** The parts that hear of each block. */
  readonly followers: readonly ChainFollower[];
  readonly #lastHour: LastHour;
  readonly #missedWeek: MissedWeek;
  readonly #figures: FigureAnswers;
  readonly #browserPages = new BrowserPages(PAGES_FOLDER);

  constructor({ services, missedSlots, sampled }: ExplorerParts) {
    const { rows, clock, finality, parameters } = services;
    this.#lastHour = new LastHour(sampled);
    this.#missedWeek = new MissedWeek({ rows, clock, file: missedSlots });
    const certificates = finality && new BlockFinality({ rows, finality, parameters });
    this.followers = certificates === undefined ? [this.#missedWeek] : [this.#missedWeek, certificates];
    const chainHour = new ChainHour(rows);
    this.#figures = {
      blocks: blockFiguresPage(rows),
      transactions: shortIdPage(rows),
      pending: pendingPage(services),
      finality: certificates && ((number) => certificates.page(Number(number))),
      missedWeek: () => this.#missedWeek.page(),
      lastHour: () => chainHour.page(),
    };
  }

  /** `standing` is the body of /readyz. */
  page(path: string, requestSource: PageRequestSource, standing: () => string): Page | Promise<Page> | undefined {
    return this.#lastHour.page(path, requestSource, standing) ?? this.#browserPages.page(path, requestSource);
  }

  /** A page of figures of the chain, which is read from the state as the answer of a call is. */
  chainPage(path: string): Page | Promise<Page> {
    return figurePage(path, this.#figures);
  }

  stop(): void {
    this.#lastHour.stop();
    this.#missedWeek.stop();
  }
}
