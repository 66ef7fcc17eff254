/**
 * The path of the Unix socket that an address names, such as `unix:/run/pharos/rpc.sock`; undefined for any other
 * address.
 */
export function parseUnixPath(address: string): string | undefined {
  const path = /^(?:ws\+)?unix:(.+)$/.exec(address)?.[1];
  return path?.replace(/^\/\/(?=\/)/, '');
}

/** The characters that an address of a WebSocket can't carry in a path. */
export const NOT_IN_SOCKET_PATHS = /[\s"#%:<>?`{}]/;
