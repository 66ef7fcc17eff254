import { errorMessage } from '../../base/error_message.ts';

type HearMissing = (what: string, reason: string) => void;

let hear: HearMissing = () => {};

/** Sets who hears which figures are missing and why; '' says that they are here. */
export function hearMissing(listener: HearMissing): void {
  hear = listener;
}

export function isObject(value: unknown): value is { readonly [member: string]: unknown } {
  return typeof value === 'object' && value !== null;
}

/** A node that is behind answers `/health` with this status, and with all figures. */
const BEHIND = 503;

/** Reads a page of the node beside the calls. Throws a sentence for people if it has no readable answer. */
export async function readNodePage<T>(path: string, read: (json: unknown) => T | undefined): Promise<T> {
  const response = await fetch(path).catch(() => undefined);
  if (response === undefined) throw new Error(`${path} was not answered; look whether the node runs`);
  if (!response.ok && response.status !== BEHIND)
    throw new Error(`${path} was answered with HTTP ${response.status}; a proxy must pass on all paths of the node`);
  const found = read(await response.json().catch(() => undefined));
  if (found === undefined) throw new Error(`${path} has another form; load the page anew`);
  return found;
}

/** The same for figures that a view can do without: it then says that they are missing. `what` names them for people. */
export async function optionalNodePage<T>(
  what: string,
  path: string,
  read: (json: unknown) => T | undefined,
): Promise<T | undefined> {
  try {
    const found = await readNodePage(path, read);
    hear(what, '');
    return found;
  } catch (error) {
    hear(what, errorMessage(error));
    return undefined;
  }
}
