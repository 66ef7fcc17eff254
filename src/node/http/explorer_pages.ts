import type { Page, PageRequestSource } from '../../jsonrpc/http/http_server.ts';
import type { MissedSlotsFile } from '../../data_folder/missed_slots_file.ts';
import type { ChainFollower } from '../../feed/chain_feed.ts';
import type { Services } from '../../rpc/services.ts';
import { blockFiguresPage } from './block_figures.ts';
import { BlockFinality } from './block_finality.ts';
import { BrowserPages, PAGES_FOLDER } from './browser_pages.ts';
import { ChainHour } from './chain_hour.ts';
import { LastHour, type SampledParts } from './last_hour.ts';
import { MissedWeek } from './missed_week.ts';
import { pendingPage } from './pending_page.ts';
import { shortIdPage } from './short_ids.ts';

/** The chain, and the figures that the pages show of it. */
export interface ExplorerParts {
  readonly services: Pick<Services, 'rows' | 'clock' | 'parameters' | 'finality' | 'intake' | 'symbols'>;
  /** Undefined where nothing is on a disk. */
  readonly missedSlots: MissedSlotsFile | undefined;
  readonly sampled: SampledParts;
}

/** A page of figures; undefined for the path of any other. */
type FiguresPage = (path: string) => Page | Promise<Page> | undefined;

/** The explorer and the docs for browsers, and the pages of figures that they ask for beside calls. */
export class ExplorerPages {
  /** The parts that hear of each block. */
  readonly followers: readonly ChainFollower[];
  readonly #lastHour: LastHour;
  readonly #missedWeek: MissedWeek;
  readonly #figuresPages: readonly FiguresPage[];
  readonly #browserPages = new BrowserPages(PAGES_FOLDER);

  constructor({ services, missedSlots, sampled }: ExplorerParts) {
    const { rows, clock, finality, parameters } = services;
    this.#lastHour = new LastHour(sampled);
    this.#missedWeek = new MissedWeek({ rows, clock, file: missedSlots });
    const certificates = finality === undefined ? [] : [new BlockFinality({ rows, finality, parameters })];
    this.followers = [this.#missedWeek, ...certificates];
    const chainHour = new ChainHour(rows);
    this.#figuresPages = [
      (path) => chainHour.page(path),
      (path) => this.#missedWeek.page(path),
      (path) => certificates[0]?.page(path),
      ...[shortIdPage(rows), blockFiguresPage(rows), pendingPage(services)],
    ];
  }

  /** `standing` is the body of /readyz. */
  page(path: string, requestSource: PageRequestSource, standing: () => string): Page | Promise<Page> | undefined {
    return this.#lastHour.page(path, requestSource, standing) ?? this.#browserPages.page(path, requestSource);
  }

  /** A page of figures of the chain, which is read from the state as the answer of a call is. */
  chainPage(path: string): Page | Promise<Page> | undefined {
    for (const page of this.#figuresPages) {
      const found = page(path);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  stop(): void {
    this.#lastHour.stop();
    this.#missedWeek.stop();
  }
}
