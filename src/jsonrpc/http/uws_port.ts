import { Fault } from '../../base/fault.ts';
import type { HttpServerOptions } from './http_server.ts';
import { filesUnknown, type OpenFiles } from './open_files.ts';
import type { ListenSocket, TemplatedApp, Uws } from './uws.ts';

const exclusivePort = 1;
/** From a look at a closed port to the next one. */
const CLOSED_MS = 20;
/** A port that was closed opens again when this share of the limit is left. */
const REOPENED_SHARE = 0.9;

/**
 * The port of an app. The binding can't refuse a connection. So while there are too many the port is closed, also when
 * the system has few files left: no silence of clients takes those that the database needs.
 */
export class UwsPort {
  readonly #app: TemplatedApp;
  readonly #uws: Uws;
  readonly #options: HttpServerOptions;
  readonly #files: OpenFiles;
  /** All that are open, WebSockets among them. */
  #connections = 0;
  #listening: ListenSocket | undefined;
  #number = 0;
  #isOver = false;
  #cancelLook: () => void = () => {};

  constructor(app: TemplatedApp, uws: Uws, options: HttpServerOptions) {
    this.#app = app;
    this.#uws = uws;
    this.#options = options;
    this.#files = options.files ?? filesUnknown;
    app.filter((_, more) => this.#count(more));
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
    this.#look();
  }

  get connections(): number {
    return this.#connections;
  }

  /** A WebSocket has ended, of which the binding doesn't tell. */
  leaveSocket(): void {
    this.#count(-1);
  }

  #count(more: number): void {
    this.#connections += more;
    if (more < 0 || this.#isOver) return;
    const isLow = this.#files.isLow(this.#options.clock.elapsedMs());
    if (isLow || this.#connections >= this.#options.limits.connections) this.#look();
  }

  /** Takes no more connections. */
  close(): void {
    this.#isOver = true;
    this.#cancelLook();
    this.#shut();
  }

  /** Closes the port while there is no room, and opens it again. */
  #look(): void {
    const { clock } = this.#options;
    this.#cancelLook();
    if (this.#isFull(this.#files.count(clock.elapsedMs()))) this.#shut();
    else if (!this.#isOver) this.#listening ??= this.#listen(this.#number);
    if (this.#listening === undefined && !this.#isOver)
      this.#cancelLook = clock.after(CLOSED_MS, () => this.#look(), false);
  }

  /** The port opens again when a part of the connections is gone: otherwise it would close again at once. */
  #isFull(room: number): boolean {
    if (room <= 0) return true;
    const most = this.#options.limits.connections;
    return this.#connections >= (this.#listening === undefined ? most * REOPENED_SHARE : most);
  }

  /**
   * The system lets a port be opened again while its old connections fade, for a minute, only when it was opened by its
   * number.
   */
  #freeNumber(): number {
    const any = this.#listen(0);
    if (any === undefined) throw this.#inUse(0);
    const number = this.#uws.us_socket_local_port(any);
    this.#uws.us_listen_socket_close(any);
    return number;
  }

  /** The binding answers before its `listen` returns. */
  #listen(number: number): ListenSocket | undefined {
    const found: ListenSocket[] = [];
    this.#app.listen(
      this.#options.host,
      number,
      exclusivePort,
      (socket) => void (socket !== false && found.push(socket)),
    );
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
