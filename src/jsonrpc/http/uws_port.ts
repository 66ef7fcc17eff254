import type { TemplatedApp, us_listen_socket } from 'uWebSockets.js';
import { Fault } from '../../base/fault.ts';
import type { HttpServerOptions } from './http_server.ts';
import { filesUnknown, type OpenFiles } from './open_files.ts';
import type { Uws } from './uws_binary.ts';

declare module 'uWebSockets.js' {
  interface TemplatedApp {
    /** Missing in the package's own types. Option 1 requests exclusive use of the port: by default, a later process could share it. */
    listen(host: string, port: number, options: number, done: (socket: us_listen_socket | false) => void): TemplatedApp;
  }
}

const exclusivePort = 1;
/** How often connections are counted, which takes 5 µs: a machine opens some hundred in that time. */
const watchMs = 20;
/** A port that was closed opens again when so much of the limit is left. */
const REOPENED_SHARE = 0.9;

/**
 * The port of an app. The binding tells of no connection before its first request, and can't refuse one. So it is the system that counts
 * them, and while there are too many the port is closed: no silence of clients takes the files that the database needs.
 */
export class UwsPort {
  readonly #app: TemplatedApp;
  readonly #uws: Uws;
  readonly #options: HttpServerOptions;
  readonly #files: OpenFiles;
  /** What was left for clients when the port was opened. */
  #roomAtFirst = Infinity;
  #listening: us_listen_socket | undefined;
  #number = 0;
  #stopWatching: () => void = () => {};

  constructor(app: TemplatedApp, uws: Uws, options: HttpServerOptions) {
    this.#app = app;
    this.#uws = uws;
    this.#options = options;
    this.#files = options.files ?? filesUnknown;
  }

  /** The port's number, once it was opened. */
  get number(): number {
    return this.#number;
  }

  /** Takes connections from now on. Throws Fault `port_in_use`. */
  open(): void {
    const number = this.#options.port === 0 ? this.#freeNumber() : this.#options.port;
    const listening = this.#listen(number);
    if (listening === undefined) throw this.#inUse(number);
    this.#listening = listening;
    this.#number = number;
    this.#roomAtFirst = this.#files.room();
    this.#watch();
  }

  /** Takes no more connections. */
  close(): void {
    this.#stopWatching();
    this.#shut();
  }

  #watch(): void {
    const { clock } = this.#options;
    const isFull = this.#isFull();
    if (isFull) this.#shut();
    else this.#listening ??= this.#listen(this.#number);
    this.#stopWatching = clock.after(watchMs, () => this.#watch(), false);
  }

  /** The port opens again when a part of the connections is gone: otherwise it would close again at once. */
  #isFull(): boolean {
    const room = this.#files.room();
    if (room <= 0) return true;
    const most = this.#options.limits.connections;
    const connections = this.#roomAtFirst === Infinity ? 0 : this.#roomAtFirst - room;
    return connections >= (this.#listening === undefined ? most * REOPENED_SHARE : most);
  }

  /** The system lets a port be opened again while its old connections fade, for a minute, only when it was opened by its number. */
  #freeNumber(): number {
    const any = this.#listen(0);
    if (any === undefined) throw this.#inUse(0);
    const number = this.#uws.us_socket_local_port(any);
    this.#uws.us_listen_socket_close(any);
    return number;
  }

  /** The binding answers before its `listen` returns. */
  #listen(number: number): us_listen_socket | undefined {
    const found: us_listen_socket[] = [];
    this.#app.listen(this.#options.host, number, exclusivePort, (socket) => void (socket !== false && found.push(socket)));
    return found[0];
  }

  /** To close a listen token twice crashes the process. */
  #shut(): void {
    const listening = this.#listening;
    this.#listening = undefined;
    if (listening !== undefined) this.#uws.us_listen_socket_close(listening);
  }

  #inUse(number: number): Fault {
    return new Fault('port_in_use', `cannot listen on ${this.#options.host} port ${number}`);
  }
}
