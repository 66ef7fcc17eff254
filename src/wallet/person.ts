/** The person who runs a command, where there is one. */
export interface Person {
  /** Shows text that is not a result. */
  tell(text: string): void;
  /** Asks a yes-or-no question; missing where nobody can be asked. */
  readonly confirm?: (question: string) => Promise<boolean>;
}
