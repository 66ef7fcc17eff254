/**
 * Fees in other symbols and payments for new accounts move what the blocks alone don't tell. What they were is told by
 * nodes of this version, of blocks that they have applied; of what was indexed before it is not known whom it made
 * richer, so balances say whether they are exact.
 */
export const version3 = `
ALTER TABLE accounts ADD is_exact boolean NOT NULL DEFAULT true;
ALTER TABLE account_history ADD is_exact boolean NOT NULL DEFAULT true;
COMMENT ON COLUMN accounts.is_exact IS 'whether the balance is known for sure: false where an earlier pharos did not note what a fee in another symbol took, or how much of its price a new account was given';
COMMENT ON COLUMN account_history.is_exact IS 'whether the balance is known for sure; once it is not, later ones are not';
COMMENT ON COLUMN operations.fee IS 'what was paid, in COIN: the fee, or the price of a new account with what that was given; null where there is none, or it was in another symbol and the node did not know its worth any more';

UPDATE account_history h SET is_exact = false
FROM (
  SELECT DISTINCT ON (i.account) i.account, i.block_number, i.op_in_block
  FROM operations o JOIN account_history i USING (block_number, op_in_block)
  WHERE o.kind = 'account_create' OR (o.fee_payer = i.account AND o.fee IS NULL AND o.body ? 'fee')
  ORDER BY i.account, i.block_number, i.op_in_block
) first
WHERE h.account = first.account AND (h.block_number, h.op_in_block) >= (first.block_number, first.op_in_block);
UPDATE accounts a SET is_exact = false FROM (SELECT DISTINCT account FROM account_history WHERE NOT is_exact) h WHERE h.account = a.name;

CREATE OR REPLACE VIEW statement AS
  SELECT h.account, h.block_number, h.op_in_block, coalesce(o."timestamp", b."timestamp") AS "timestamp",
         coalesce(o.kind, CASE WHEN h.block_number = 0 THEN 'genesis' ELSE 'end_of_block' END) AS kind,
         h.balance_change, h.vesting_change, h.balance, h.vesting_shares, t.id AS trx_id, o.body, h.is_exact
  FROM account_history h
  LEFT JOIN operations o USING (block_number, op_in_block)
  LEFT JOIN blocks b ON b.number = h.block_number
  LEFT JOIN transactions t ON t.block_number = o.block_number AND t.trx_in_block = o.trx_in_block
  WHERE h.balance_change <> 0 OR h.vesting_change <> 0;
CREATE OR REPLACE VIEW holders AS
  SELECT name AS account, balance, vesting_shares, balance + vesting_shares AS total, is_exact FROM accounts;
`;
