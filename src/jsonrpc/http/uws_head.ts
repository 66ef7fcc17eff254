import type { HttpRequest } from 'uWebSockets.js';
import { isOfProxy, withHeader, type ProxyTrail } from './clients.ts';
import type { Head } from './request_guard.ts';

/** The head of the request that was read last: one object for all requests, because each is decided on at once. */
export class UwsHead implements Head {
  method = '';
  host = '';
  origin = '';
  contentType = '';
  contentLength = '';
  contentEncoding = '';
  transferEncoding = '';
  /** The client closes the connection behind the answer, and wants to read that there too. */
  closes = false;
  headBytes = 0;
  ambiguous = false;
  /** Undefined when nothing shows a proxy. */
  trail: ProxyTrail | undefined;

  read(request: HttpRequest): this {
    this.method = request.getMethod();
    this.host = '';
    this.origin = '';
    this.contentType = '';
    this.contentLength = '';
    this.contentEncoding = '';
    this.transferEncoding = '';
    this.closes = false;
    this.headBytes = 0;
    this.ambiguous = false;
    this.trail = undefined;
    request.forEach(this.#take);
    return this;
  }

  readonly #take = (name: string, value: string): void => {
    this.headBytes += name.length + value.length;
    if (name === 'host') {
      if (this.host !== '') this.ambiguous = true;
      this.host = value;
    } else if (name === 'content-length') {
      if (this.contentLength !== '') this.ambiguous = true;
      this.contentLength = value;
    } else if (name === 'content-type') this.contentType = value;
    else if (name === 'origin') this.origin = value;
    else if (name === 'content-encoding') this.contentEncoding = value;
    else if (name === 'transfer-encoding') this.transferEncoding = value;
    else if (name === 'connection') this.closes = namesClose(value);
    else if (isOfProxy(name)) this.trail = withHeader(this.trail, name, value);
  };
}

/** `close` among the options of a Connection header. */
function namesClose(connection: string): boolean {
  if (connection === 'keep-alive') return false;
  return connection.split(',').some((option) => option.trim().toLowerCase() === 'close');
}
