/** Instalments that are rounded up, as the chain rounds them. */
export const version6 = `
ALTER TABLE chain ADD vesting_withdraw_rounds_up boolean;
COMMENT ON COLUMN chain.vesting_withdraw_rounds_up IS 'whether instalments are rounded up, so that there are never more than stated; otherwise they are rounded down, and what is left takes further ones';

CREATE OR REPLACE VIEW vesting_calendar AS
  SELECT w.account, n AS instalment, w."timestamp" + n * c.vesting_withdraw_interval_seconds * interval '1 second' AS due,
         least(w.rate, w.vesting_shares - (n - 1) * w.rate) AS vesting_shares, n <= paid.count AS is_paid
  FROM chain c
  CROSS JOIN LATERAL (
    SELECT DISTINCT ON (account) *,
           greatest(div(vesting_shares * 1000000 + CASE WHEN c.vesting_withdraw_rounds_up THEN c.vesting_withdraw_intervals - 1 ELSE 0 END,
                        c.vesting_withdraw_intervals), 1) * 0.000001 AS rate
    FROM vesting_withdrawals WHERE NOT is_instalment ORDER BY account, block_number DESC, op_in_block DESC
  ) w
  CROSS JOIN LATERAL (
    SELECT count(*) AS count FROM vesting_withdrawals p
    WHERE p.account = w.account AND p.is_instalment AND (p.block_number, p.op_in_block) > (w.block_number, w.op_in_block)
  ) paid
  CROSS JOIN LATERAL generate_series(1, ceil(w.vesting_shares / w.rate)::integer) n;
`;
