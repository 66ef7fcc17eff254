import type { Clock } from '../base/clock.ts';

/**
 * The part of the standard's `AbortSignal` that calls use. A program compiles with it that has the types of no runtime.
 */
export interface CallSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The value of a promise, or a rejection with the signal's reason as soon as it is aborted. */
export async function unlessAborted<T>(promise: Promise<T>, signal: CallSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  // Nobody waits for it any more when the signal comes first.
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let abort = (): void => undefined;
  const aborted = new Promise<'aborted'>((resolve) => {
    abort = () => resolve('aborted');
    signal.addEventListener('abort', abort);
  });
  try {
    await Promise.race([promise, aborted]);
    signal.throwIfAborted();
    return await promise;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Resolves after so long, or rejects with the signal's reason. */
export async function pause(clock: Clock, pauseMs: number, signal?: CallSignal): Promise<void> {
  let cancel = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    cancel = clock.after(pauseMs, resolve);
  });
  try {
    await unlessAborted(over, signal);
  } finally {
    cancel();
  }
}
