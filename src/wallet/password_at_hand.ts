/** The variable of the environment that may have the password of a wallet. */
export const PASSWORD_VARIABLE = 'PHAROS_WALLET_PASSWORD';

/** The password sources of every command that opens a wallet, for their help. */
export const PASSWORD_SOURCES = `The password comes from --password-file, from ${PASSWORD_VARIABLE}, or from the terminal.`;

/** Returns the password in the environment; undefined for none. */
export function passwordInEnvironment(): string | undefined {
  return process.env[PASSWORD_VARIABLE];
}
