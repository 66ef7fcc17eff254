/**
 * Indexes that answer the guide's questions without reading what doesn't matter. `number + 0` keeps the planner from
 * walking all blocks backwards for a witness that has made none.
 */
export const version4 = `
CREATE INDEX transfers_to ON transfers (to_account) INCLUDE (from_account, amount);
DROP INDEX vesting_withdrawals_account;
CREATE INDEX vesting_withdrawals_account ON vesting_withdrawals (account, is_instalment, block_number, op_in_block);
DROP INDEX blocks_witness;
CREATE INDEX blocks_witness ON blocks (witness, (number + 0));

CREATE OR REPLACE VIEW witness_health AS
  SELECT w.owner, w.url, w.is_stopped, last.number AS last_block_number, last."timestamp" AS last_block_time, day.blocks AS blocks_in_last_day
  FROM witnesses w
  LEFT JOIN LATERAL (SELECT number, "timestamp" FROM blocks WHERE witness = w.owner ORDER BY number + 0 DESC LIMIT 1) last ON true
  CROSS JOIN LATERAL (
    SELECT count(*) AS blocks FROM blocks b
    WHERE b.witness = w.owner
      AND b.number + 0 > (SELECT head_block_number - 86400 / block_interval_seconds FROM chain)
      AND b."timestamp" > (SELECT "timestamp" - interval '1 day' FROM blocks WHERE number = (SELECT head_block_number FROM chain))
  ) day;
`;
