import { NodeRefusal } from '../../client/index.ts';

/** Asks the node; undefined where it refuses, or, where a name is given, refuses by that name. Throws all else. */
export async function unlessRefused<T>(question: () => Promise<T>, name?: string): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (error instanceof NodeRefusal && (name === undefined || error.name === name)) return undefined;
    throw error;
  }
}
