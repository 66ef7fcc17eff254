// The part of uWebSockets.js that the server uses, as release 20.56 has it. Its own declarations lack some of this.

/** The functions of its machine code. */
export interface Uws {
  App(): TemplatedApp;
  us_listen_socket_close(socket: ListenSocket): void;
  us_socket_local_port(socket: ListenSocket): number;
}

/** A port that is listened on. To close it twice crashes the process. */
export interface ListenSocket {
  readonly isListenSocket: true;
}

/** The context in which a WebSocket is made. */
export interface SocketContext {
  readonly isSocketContext: true;
}

/** A server, before and after it listens. */
export interface TemplatedApp {
  any(pattern: string, receive: (response: HttpResponse, request: HttpRequest) => void): TemplatedApp;
  ws<UserData>(pattern: string, behaviour: WebSocketBehaviour<UserData>): TemplatedApp;
  /**
   * Called with 1 for each new connection, and with -1 for each that has ended, but for those that have become
   * WebSockets.
   */
  filter(count: (response: HttpResponse, more: number) => void): TemplatedApp;
  /**
   * Calls `done` before it returns. Option 1 requests exclusive use of the port: by default, a later process could
   * share it.
   */
  listen(host: string, port: number, options: number, done: (socket: ListenSocket | false) => void): TemplatedApp;
  /** Closes the port and every connection at once. */
  close(): TemplatedApp;
}

/** A request, which can be read until its handler returns. */
export interface HttpRequest {
  getMethod(): string;
  getUrl(): string;
  getQuery(): string;
  /** '' where there is none; the name in small letters. */
  getHeader(name: string): string;
  forEach(take: (name: string, value: string) => void): void;
}

/** The response to a request, until it has ended or its client has left: whatever is called later throws. */
export interface HttpResponse {
  writeStatus(status: string): HttpResponse;
  writeHeader(name: string, value: string): HttpResponse;
  end(body?: string | Uint8Array, closes?: boolean): HttpResponse;
  /** Without a length unless one is given. */
  endWithoutBody(reportedLength?: number, closes?: boolean): HttpResponse;
  /** Sends what the connection takes: whether it took all of that, and whether the response has ended. */
  tryEnd(body: string | Uint8Array, wholeSize: number): [boolean, boolean];
  onWritable(write: (offset: number) => boolean): HttpResponse;
  onAborted(abort: () => void): HttpResponse;
  /** The chunk is gone when `hear` returns. */
  onData(hear: (chunk: ArrayBuffer, isLast: boolean) => void): HttpResponse;
  /** Reads nothing more from the connection until `resume`; what was read with the request comes all the same. */
  pause(): void;
  resume(): void;
  /** Closes the connection at once. */
  close(): HttpResponse;
  /** Sends everything that `write` writes together. */
  cork(write: () => void): HttpResponse;
  getRemoteAddress(): ArrayBuffer;
  getRemoteAddressAsText(): ArrayBuffer;
  upgrade(data: object, key: string, protocol: string, extensions: string, context: SocketContext): void;
}

/** An open WebSocket; it can't be used after its `close`. */
export interface WebSocket<UserData> {
  /** 1: sent. 0: waits in memory. 2: dropped. */
  send(message: string | Uint8Array, isBinary?: boolean): number;
  getBufferedAmount(): number;
  /** Says goodbye, and calls `close` before it returns. */
  end(code?: number, reason?: string): void;
  getUserData(): UserData;
}

/** The handlers of WebSockets at a pattern. */
export interface WebSocketBehaviour<UserData> {
  /** Bytes of a message; the connection is closed by a longer one. */
  readonly maxPayloadLength: number;
  readonly maxBackpressure: number;
  /** Seconds: 0, or 8 to 960. */
  readonly idleTimeout: number;
  readonly upgrade: (response: HttpResponse, request: HttpRequest, context: SocketContext) => void;
  readonly open: (socket: WebSocket<UserData>) => void;
  /** The message is gone when this returns. */
  readonly message: (socket: WebSocket<UserData>, message: ArrayBuffer, isBinary: boolean) => void;
  readonly drain: (socket: WebSocket<UserData>) => void;
  readonly close: (socket: WebSocket<UserData>, code: number, message: ArrayBuffer) => void;
}
