import { isOfProxy, withHeader, type ProxyTrail } from './clients.ts';
import { MIN_HEAD_HEADER } from './http_server.ts';
import type { Head } from './request_guard.ts';
import type { HttpRequest } from './uws.ts';

/** The head of the request that was read last: one object for all requests, because each is decided on at once. */
export class UwsHead implements Head {
  method = '';
  host = '';
  origin = '';
  contentType = '';
  contentLength = '';
  contentEncoding = '';
  transferEncoding = '';
  /**
   * The client closes the connection behind the answer, and wants to read that there too. The binding closes it then.
   */
  closes = false;
  /** The same among other options, which the binding does not look for. */
  closesUnnoticed = false;
  headBytes = 0;
  ambiguous = false;
  /** The head that is asked for; '' when none is. */
  minHead = '';
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
    this.closesUnnoticed = false;
    this.headBytes = 0;
    this.ambiguous = false;
    this.minHead = '';
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
    else if (name === 'connection') this.#takeConnection(value);
    else if (name === MIN_HEAD_HEADER) this.minHead = value === '' ? ' ' : value;
    else if (isOfProxy(name)) this.trail = withHeader(this.trail, name, value);
  };

  #takeConnection(options: string): void {
    if (options === 'keep-alive') return;
    this.closes = options.toLowerCase() === 'close';
    this.closesUnnoticed = !this.closes && options.split(',').some((option) => option.trim().toLowerCase() === 'close');
  }
}
