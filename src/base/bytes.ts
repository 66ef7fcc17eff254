/** Bytes of a MiB. */
export const MEBIBYTE = 1024 * 1024;
