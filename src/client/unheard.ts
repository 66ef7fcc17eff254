/**
 * An error that ended a subscription and that no listener wants to hear of: it is thrown where nobody catches it,
 * because a program that hears nothing any more, and doesn't know it, is worse off than one that ends.
 */
export function unheard(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
