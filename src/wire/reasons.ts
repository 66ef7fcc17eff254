/** The reasons of closing a link, as goodbye names them. A number is for ever. */
export const reasons = {
  stopping: 0,
  other_chain: 1,
  other_protocol: 2,
  full: 3,
  banned: 4,
  malformed: 5,
  over_limit: 6,
  silent: 7,
  connected_already: 8,
  oneself: 9,
  misbehaved: 10,
  other_final_block: 11,
  not_needed: 12,
} as const;

export type ReasonName = keyof typeof reasons;

/** When to come again, in seconds; 0 where there is no use in it. */
export const retryAfterSeconds: Readonly<Record<ReasonName, number>> = {
  stopping: 10,
  other_chain: 0,
  other_protocol: 0,
  full: 60,
  banned: 3600,
  malformed: 3600,
  over_limit: 60,
  silent: 1,
  connected_already: 0,
  oneself: 0,
  misbehaved: 600,
  other_final_block: 600,
  not_needed: 600,
};
