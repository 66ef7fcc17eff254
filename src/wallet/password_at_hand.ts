/** The variable of the environment that may have the password of a wallet. */
export const PASSWORD_VARIABLE = 'PHAROS_WALLET_PASSWORD';

/** How every command that opens a wallet gets its password, for their help. */
export const PASSWORD_SOURCES = `The password comes from --password-file, from ${PASSWORD_VARIABLE}, or from the terminal.`;

/** What the environment says; undefined where it says nothing. */
export function passwordInEnvironment(): string | undefined {
  return process.env[PASSWORD_VARIABLE];
}
