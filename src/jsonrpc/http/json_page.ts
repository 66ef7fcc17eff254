import type { Page, PageRequestSource } from './http_server.ts';

/** A page of JSON as it is now: no cache keeps it. */
export function jsonPage(body: string): Page {
  return { status: 200, contentType: 'application/json', body, headers: [['Cache-Control', 'no-store']] };
}

/** The same for programs of the node's own machine; all others read why they get none. */
export function localJsonPage(
  { isLocal }: Pick<PageRequestSource, 'isLocal'>,
  refusal: string,
  body: () => string,
): Page {
  return isLocal ? jsonPage(body()) : { status: 403, contentType: 'text/plain', body: refusal };
}
