/** Adds comments on each column of a view, and further ones on tables. */
export const version5 = `
COMMENT ON TABLE blocks IS 'Every block of the main branch. Those above chain.last_irreversible_block_num may still be taken back, and all rows with their number.';
COMMENT ON TABLE accounts IS 'Every account, and what it has now. One that account_delete has locked keeps what it has.';
COMMENT ON TABLE account_history IS 'Every operation that an account has to do with, and what it had behind that: balances over time. JOIN operations USING (block_number, op_in_block) for what it was; the view statement does so.';
COMMENT ON TABLE transfers IS 'Operations of kind transfer. All of one account, in and out: the view statement, or JOIN account_history USING (block_number, op_in_block).';
COMMENT ON COLUMN chain.position IS 'what the source is asked to go on behind, in its own words';
COMMENT ON COLUMN operations.fee IS 'what was paid, in coins (chain.coin_symbol): the fee, or the price of a new account with what that was given; null where there is none, or it was in another symbol and the node did not know its worth any more';
COMMENT ON COLUMN transfers.amount IS 'in coins (chain.coin_symbol), without the fee';
COMMENT ON COLUMN accounts.balance IS 'in coins (chain.coin_symbol), what can be spent at once: without what its open escrows hold';
COMMENT ON COLUMN accounts.vesting_shares IS 'in vesting shares (chain.vests_symbol), each worth one coin; without what protection against dilution owes and has not paid yet';
COMMENT ON COLUMN account_history.balance IS 'in coins (chain.coin_symbol), behind the operation';
COMMENT ON COLUMN account_history.vesting_shares IS 'in vesting shares (chain.vests_symbol), behind the operation';
COMMENT ON COLUMN account_history.balance_change IS 'what it added to the balance, fees included; negative where it took, 0 where the account only has to do with it';
COMMENT ON COLUMN account_history.vesting_change IS 'what it added to the vesting shares; negative where it took';
COMMENT ON COLUMN vesting_withdrawals.vesting_shares IS 'in vesting shares (chain.vests_symbol): what is to be withdrawn, replacing an earlier wish, 0 ends it; or what was paid';
COMMENT ON COLUMN escrow_changes.coin_balance IS 'in coins (chain.coin_symbol), what it holds';
COMMENT ON COLUMN escrow_changes.pending_fee IS 'in coins (chain.coin_symbol), what the agent gets once both have approved';

COMMENT ON COLUMN statement.account IS 'whose statement it is';
COMMENT ON COLUMN statement.block_number IS 'number of the block; 0 for what the genesis gave';
COMMENT ON COLUMN statement.op_in_block IS 'number of the operation in the block';
COMMENT ON COLUMN statement."timestamp" IS 'time of the head when it happened; null for what the genesis gave';
COMMENT ON COLUMN statement.kind IS 'kind of the operation; genesis; end_of_block for what a block does without one: refunds an escrow that nobody ratified in time, burns what the account none was sent';
COMMENT ON COLUMN statement.balance_change IS 'what it added to the balance in coins, fees included; negative where it took';
COMMENT ON COLUMN statement.vesting_change IS 'what it added to the vesting shares; negative where it took';
COMMENT ON COLUMN statement.balance IS 'in coins, behind it';
COMMENT ON COLUMN statement.vesting_shares IS 'behind it';
COMMENT ON COLUMN statement.trx_id IS 'id of the transaction; null for what the chain does itself at the end of a block';
COMMENT ON COLUMN statement.body IS 'all members of the operation, as the API shows them: with whom, what for';
COMMENT ON COLUMN statement.is_exact IS 'whether the balance is known for sure, see account_history';

COMMENT ON COLUMN holders.account IS 'name of the account';
COMMENT ON COLUMN holders.balance IS 'in coins, what can be spent at once';
COMMENT ON COLUMN holders.vesting_shares IS 'each worth one coin';
COMMENT ON COLUMN holders.total IS 'both, in coins';
COMMENT ON COLUMN holders.is_exact IS 'whether the balance is known for sure, see accounts';

COMMENT ON COLUMN witnesses.owner IS 'the account of the witness';
COMMENT ON COLUMN witnesses.url IS 'what it says of itself';
COMMENT ON COLUMN witnesses.signing_key IS 'public key that signs its blocks; null where it is that of the genesis';
COMMENT ON COLUMN witnesses.is_stopped IS 'whether it makes no blocks';

COMMENT ON VIEW witness_health IS 'Which witnesses make blocks. Slots that nobody used are in blocks.missed_slots; whose they were, blocks do not tell.';
COMMENT ON COLUMN witness_health.owner IS 'the account of the witness';
COMMENT ON COLUMN witness_health.url IS 'what it says of itself';
COMMENT ON COLUMN witness_health.is_stopped IS 'whether it makes no blocks because it said so, or because the chain has stopped it';
COMMENT ON COLUMN witness_health.last_block_number IS 'the last block that it made; null where it has made none';
COMMENT ON COLUMN witness_health.last_block_time IS 'when that was';
COMMENT ON COLUMN witness_health.blocks_in_last_day IS 'how many it made in the day before the last indexed block';

COMMENT ON COLUMN vesting_calendar.account IS 'who withdraws';
COMMENT ON COLUMN vesting_calendar.instalment IS 'number of the payment, from 1';
COMMENT ON COLUMN vesting_calendar.due IS 'when it is paid, in the first block from then on';
COMMENT ON COLUMN vesting_calendar.vesting_shares IS 'so many shares become as many coins';
COMMENT ON COLUMN vesting_calendar.is_paid IS 'whether it has been';

COMMENT ON COLUMN index_lag.head_block_number IS 'the last indexed block';
COMMENT ON COLUMN index_lag.head_block_time IS 'when that was made';
COMMENT ON COLUMN index_lag.last_irreversible_block_num IS 'blocks up to this one can not be undone any more';
COMMENT ON COLUMN index_lag.blocks_behind IS 'how many more the source had when blocks were last written';
COMMENT ON COLUMN index_lag.seconds_behind IS 'time since the last indexed block';
COMMENT ON COLUMN index_lag.updated IS 'when blocks were last written or taken back';
`;
