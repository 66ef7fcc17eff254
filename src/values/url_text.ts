import { refusals } from '../base/refusal.ts';
import { MAX_URL_BYTES } from './limits.ts';

const refuse = refusals({
  url_too_long: 'URL is too long',
  url_empty: 'URL size must be greater than 0',
  url_not_utf8: 'URL is not valid UTF8',
});

/** The texts of `requireUrl`, for the operations that call it. */
export const urlRefusals = refuse.texts;

/** Refuses what cannot be an address: 1 to 2048 bytes of UTF-8, whatever they say. */
export function requireUrl(url: string): void {
  if (Buffer.byteLength(url) > MAX_URL_BYTES) refuse.url_too_long();
  if (url === '') refuse.url_empty();
  if (!url.isWellFormed()) refuse.url_not_utf8();
}
