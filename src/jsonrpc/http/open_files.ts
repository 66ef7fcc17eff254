/** The files and connections that this process has open, which the system limits together. */
export interface OpenFiles {
  /** How many clients may take now, about; Infinity where the system doesn't say. */
  room(): number;
  /** Whether clients may take no more, because the database needs the rest. */
  isLow(nowMs: number): boolean;
}

/** Where the system tells nothing of open files. */
export const filesUnknown: OpenFiles = { room: () => Infinity, isLow: () => false };
