/** The stages to which a broadcast may be followed, in this order. */
export const WAIT_FOR = ['accepted', 'block', 'final'] as const;

/** The stage of a transaction at which its broadcast is answered. */
export type WaitFor = (typeof WAIT_FOR)[number];
