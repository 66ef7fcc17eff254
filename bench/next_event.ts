import type { EventEmitter } from 'node:events';

/** The first argument of the next event of that name. */
export function nextEvent(emitter: EventEmitter, name: string): Promise<unknown> {
  return new Promise((resolve) => {
    emitter.once(name, (argument: unknown) => resolve(argument));
  });
}
