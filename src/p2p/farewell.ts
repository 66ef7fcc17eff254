import { MOST_TEXT_CHARACTERS, type Goodbye } from './messages/goodbye.ts';
import { reasons, retryAfterSeconds, type ReasonName } from './reasons.ts';

/** What is said to a peer whose link is closed. */
export function farewellOf(reason: ReasonName, text: string): Goodbye {
  const said = text.replace(/[^\x20-\x7e]/g, '?').slice(0, MOST_TEXT_CHARACTERS);
  return { reason: reasons[reason], text: said, retry_after_seconds: retryAfterSeconds[reason] };
}

/** What a peer said, for people. */
export function describedFarewell({ reason, text }: Goodbye): string {
  const name = Object.entries(reasons).find(([, number]) => number === reason)?.[0] ?? `reason ${reason}`;
  return `it said goodbye: ${name}${text === '' ? '' : `, ${text}`}`;
}
