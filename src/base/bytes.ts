/** Bytes of a KiB. */
export const KIBIBYTE = 1024;

/** Bytes of a MiB. */
export const MEBIBYTE = 1024 * 1024;
