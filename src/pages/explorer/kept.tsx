/** Reads a setting that this browser keeps; '' for one that is not set. */
export function keptText(name: string): string {
  try {
    return localStorage.getItem(name) ?? '';
  } catch {
    return ''; // a browser that keeps nothing
  }
}

/** Keeps a setting in this browser. A browser that keeps nothing loses it with the page. */
export function keepText(name: string, text: string): void {
  try {
    localStorage.setItem(name, text);
  } catch {
    // The caller still has it.
  }
}
