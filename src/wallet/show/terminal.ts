/** The terminal on which results are shown. */
export interface Terminal {
  /** True when escape codes may be used. */
  readonly colours: boolean;
  readonly columns: number;
}

const CODES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;

/** The text in a colour, where colours may be used. */
export function coloured(text: string, colour: keyof typeof CODES, { colours }: Pick<Terminal, 'colours'>): string {
  return colours ? `\u001B[${CODES[colour]}m${text}\u001B[0m` : text;
}

/** Escapes control characters: text from the chain could otherwise control the terminal. */
export function escapeControls(text: string): string {
  return [...text]
    .map((character) =>
      isControl(character) ? `\\x${characterCode(character).toString(16).padStart(2, '0')}` : character,
    )
    .join('');
}

/** True when it is a control character other than a newline. */
function isControl(character: string): boolean {
  const code = characterCode(character);
  return (code < 0x20 && character !== '\n') || (code >= 0x7f && code < 0xa0);
}

function characterCode(character: string): number {
  return character.codePointAt(0) ?? 0;
}
