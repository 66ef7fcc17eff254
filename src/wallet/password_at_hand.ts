/** How every command that opens a wallet gets its password, for their help. */
export const PASSWORD_SOURCES = 'The password comes from --password-file, from PHAROS_WALLET_PASSWORD, or from the terminal.';

/** What the environment says; undefined where it says nothing. */
export function passwordInEnvironment(): string | undefined {
  return process.env['PHAROS_WALLET_PASSWORD'];
}
