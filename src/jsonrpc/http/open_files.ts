/** The files and connections that this process has open, which the system limits together. */
export interface OpenFiles {
  /** About how many files clients may take now; Infinity where the system doesn't say. */
  room(): number;
  /** Returns whether clients may take no more, because the database needs the rest. */
  isLow(nowMs: number): boolean;
}

/** Stands for a system that does not count open files. */
export const filesUnknown: OpenFiles = { room: () => Infinity, isLow: () => false };
