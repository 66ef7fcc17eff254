import { refusals } from '../base/refusal.ts';
import { text } from '../codec/primitives.ts';
import { limitedText } from './limited_text.ts';
import { MAX_URL_BYTES } from './limits.ts';

const refuse = refusals({
  url_too_long: { text: 'the url has {bytes} bytes; at most {most} are taken', lineage: 'URL is too long' },
  url_empty: {
    text: 'the url is empty; give one such as https://example.com',
    lineage: 'URL size must be greater than 0',
  },
  url_not_utf8: { text: 'the url is no valid UTF-8', lineage: 'URL is not valid UTF8' },
});

/** The refusals of `requireUrl`, for the operations that call it. */
export const urlRefusals = refuse.texts;

/** A URL as an operation gives it. */
export const urlText = limitedText(text, MAX_URL_BYTES, refuse.url_too_long);

/** The refusals of reading a URL. */
export const longUrl = { url_too_long: urlRefusals.url_too_long };

/** Refuses a URL that is not 1 to 2048 bytes of UTF-8; its syntax is not checked. */
export function requireUrl(url: string): void {
  const bytes = Buffer.byteLength(url);
  if (bytes > MAX_URL_BYTES) refuse.url_too_long({ bytes, most: MAX_URL_BYTES });
  if (url === '') refuse.url_empty();
  requireUtf8Url(url);
}

/** Refuses a URL that is no valid UTF-8, and nothing else. */
export function requireUtf8Url(url: string): void {
  if (!url.isWellFormed()) refuse.url_not_utf8();
}

/** The refusals of `requireUtf8Url` alone. */
export const { url_not_utf8: urlNotUtf8 } = urlRefusals;
