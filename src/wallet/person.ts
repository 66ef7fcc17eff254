/** Whoever runs a command, as far as somebody is there. */
export interface Person {
  /** Shows text that is no result. */
  tell(text: string): void;
  /** Asks a question that is answered by yes or no; missing where nobody can be asked. */
  readonly confirm?: (question: string) => Promise<boolean>;
}
