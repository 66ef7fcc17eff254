import { Site } from '../outside/site.ts';
import { Chain } from './chain.ts';
import { startPrivateNet, type PrivateNet } from './private_net.ts';
import { WalletDaemon } from './wallet_daemon.ts';

/** The parts to which lines speak. */
export interface Parts {
  /** A chain as `pharos dev` makes it. */
  readonly dev: Chain;
  /** A chain on which days and years go by. */
  readonly hurried: Chain;
  /** A net without a genesis file, in which initminer chooses the witnesses. */
  readonly 'private net': PrivateNet;
  /** A wallet beside a development chain. */
  readonly wallet: WalletDaemon;
}

export type Part = keyof Parts;

type Starters = { readonly [P in Part]: (stage: Stage, site: Site) => Promise<Parts[P]> };

const starters: Starters = {
  dev: (_, site) => Chain.dev(site),
  hurried: (_, site) => Chain.hurried(site),
  'private net': (_, site) => startPrivateNet(site),
  wallet: async (stage, site) => await WalletDaemon.start(site, await stage.part('dev')),
};

/** The programs of one test file; each is started when the first line needs it. */
export class Stage {
  readonly #site = new Site();
  readonly #parts = new Map<Part, Promise<unknown>>();

  async part<P extends Part>(name: P): Promise<Parts[P]>;
  async part(name: Part): Promise<unknown> {
    const started = this.#parts.get(name) ?? starters[name](this, this.#site);
    this.#parts.set(name, started);
    return await started;
  }

  async clear(): Promise<void> {
    await this.#site.clear();
  }
}
