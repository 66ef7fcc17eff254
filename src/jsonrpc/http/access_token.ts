/** Returns whether a request shows the token, as `Authorization: Bearer …` or as `?token=…`. */
export function showsToken(token: string, authorization: string, query: string): boolean {
  const inHeader = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  const inUrl = /(?:^|&)token=([^&]*)/.exec(query)?.[1] ?? '';
  return isSame(token, inHeader) || isSame(token, inUrl);
}

/** The time that it takes says nothing of where they differ. */
function isSame(token: string, shown: string): boolean {
  if (shown.length !== token.length) return false;
  let difference = 0;
  for (let at = 0; at < token.length; at++) difference |= token.charCodeAt(at) ^ shown.charCodeAt(at);
  return difference === 0;
}
