/** The files and connections that this process has open, which the system limits together. */
export interface OpenFiles {
  /** Counts them: about how many clients may take now; Infinity where the system doesn't say. */
  count(nowMs: number): number;
  /** A client has come, on whatever port: true if clients may take no more, because the database needs the rest. */
  isLow(nowMs: number): boolean;
}

/** Stands for a system that does not count open files. */
export const filesUnknown: OpenFiles = { count: () => Infinity, isLow: () => false };
