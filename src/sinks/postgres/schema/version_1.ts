// Released: what is to change is another version.

const tables = `
CREATE TABLE chain (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  chain_id text NOT NULL,
  coin_symbol text NOT NULL,
  vests_symbol text NOT NULL,
  block_interval_seconds integer NOT NULL,
  vesting_withdraw_intervals integer NOT NULL,
  vesting_withdraw_interval_seconds integer NOT NULL,
  head_block_number integer NOT NULL,
  head_block_id text NOT NULL,
  last_irreversible_block_num integer NOT NULL,
  position text
);
COMMENT ON TABLE chain IS 'The chain whose blocks these are, and how far they are indexed. One row.';
COMMENT ON COLUMN chain.is_only IS 'keeps the table at one row';
COMMENT ON COLUMN chain.chain_id IS 'SHA-256 of the genesis file, in hex';
COMMENT ON COLUMN chain.coin_symbol IS 'what balances and amounts are counted in';
COMMENT ON COLUMN chain.vests_symbol IS 'what vesting shares are counted in';
COMMENT ON COLUMN chain.block_interval_seconds IS 'length of a slot: in each a witness may make one block';
COMMENT ON COLUMN chain.vesting_withdraw_intervals IS 'instalments in which a withdrawal of vesting shares is paid';
COMMENT ON COLUMN chain.vesting_withdraw_interval_seconds IS 'time between two instalments';
COMMENT ON COLUMN chain.head_block_number IS 'the last indexed block';
COMMENT ON COLUMN chain.head_block_id IS 'id of the last indexed block';
COMMENT ON COLUMN chain.last_irreversible_block_num IS 'blocks up to this one can not be undone any more';
COMMENT ON COLUMN chain.position IS 'where the source is resumed';

CREATE TABLE blocks (
  number integer PRIMARY KEY,
  id text NOT NULL,
  previous text NOT NULL,
  "timestamp" timestamptz NOT NULL,
  witness text NOT NULL,
  missed_slots integer NOT NULL,
  transaction_count integer NOT NULL,
  operation_count integer NOT NULL
);
CREATE INDEX blocks_timestamp ON blocks USING brin ("timestamp") WITH (pages_per_range = 16);
CREATE INDEX blocks_witness ON blocks (witness, number);
CREATE INDEX blocks_missed ON blocks (number) WHERE missed_slots > 0;
COMMENT ON TABLE blocks IS 'Every block of the main branch.';
COMMENT ON COLUMN blocks.number IS 'height, from 1';
COMMENT ON COLUMN blocks.id IS 'begins with the number, in hex';
COMMENT ON COLUMN blocks.previous IS 'id of the block before';
COMMENT ON COLUMN blocks."timestamp" IS 'the slot in which it was made';
COMMENT ON COLUMN blocks.witness IS 'who made it';
COMMENT ON COLUMN blocks.missed_slots IS 'slots without a block between the one before and this one';
COMMENT ON COLUMN blocks.transaction_count IS 'transactions in it';
COMMENT ON COLUMN blocks.operation_count IS 'operations in it, those of the chain itself included';

CREATE TABLE transactions (
  block_number integer NOT NULL,
  trx_in_block integer NOT NULL,
  id text NOT NULL,
  first_op integer NOT NULL,
  PRIMARY KEY (block_number, trx_in_block)
);
CREATE INDEX transactions_id ON transactions USING hash (id);
COMMENT ON TABLE transactions IS 'Every transaction in a block.';
COMMENT ON COLUMN transactions.block_number IS 'number of its block';
COMMENT ON COLUMN transactions.trx_in_block IS 'its number in the block, from 0';
COMMENT ON COLUMN transactions.id IS '40 hex digits';
COMMENT ON COLUMN transactions.first_op IS 'op_in_block of its first operation; the others follow, up to those of the next transaction';

CREATE TABLE operations (
  block_number integer NOT NULL,
  op_in_block integer NOT NULL,
  trx_in_block integer,
  op_in_trx integer NOT NULL,
  virtual_op integer NOT NULL,
  "timestamp" timestamptz NOT NULL,
  kind text NOT NULL,
  fee_payer text,
  fee numeric(20,6),
  body jsonb NOT NULL,
  PRIMARY KEY (block_number, op_in_block)
);
CREATE INDEX operations_timestamp ON operations USING brin ("timestamp") WITH (pages_per_range = 32);
CREATE INDEX operations_kind ON operations (kind, block_number) WHERE kind NOT IN ('transfer', 'custom', 'custom_json', 'custom_binary', 'producer_reward');
COMMENT ON TABLE operations IS 'Every operation of every block, those that the chain makes itself included, in its order.';
COMMENT ON COLUMN operations.block_number IS 'number of its block';
COMMENT ON COLUMN operations.op_in_block IS 'its number in the block, from 0: the order in which things happened';
COMMENT ON COLUMN operations.trx_in_block IS 'number of its transaction in the block; null for what the chain does at the end of a block';
COMMENT ON COLUMN operations.op_in_trx IS 'its number in the transaction, from 0';
COMMENT ON COLUMN operations.virtual_op IS '0 for what a transaction holds; from 1 for what the chain did because of it, or at the end of the block';
COMMENT ON COLUMN operations."timestamp" IS 'time of the head when it happened: of the block before for what transactions hold';
COMMENT ON COLUMN operations.kind IS 'such as transfer; the docs of a node have a page for each';
COMMENT ON COLUMN operations.fee_payer IS 'who paid the fee: the account itself or its sponsor; null for what the chain does itself';
COMMENT ON COLUMN operations.fee IS 'the fee in COIN; null where there is none, or it was paid in another symbol, which the body has';
COMMENT ON COLUMN operations.body IS 'all members of the operation, as the API shows them; NUL characters in texts are U+FFFD';

CREATE TABLE transfers (
  block_number integer NOT NULL,
  op_in_block integer NOT NULL,
  "timestamp" timestamptz NOT NULL,
  from_account text NOT NULL,
  to_account text NOT NULL,
  amount numeric(20,6) NOT NULL,
  memo text NOT NULL,
  PRIMARY KEY (block_number, op_in_block)
);
CREATE INDEX transfers_timestamp ON transfers USING brin ("timestamp") WITH (pages_per_range = 32);
COMMENT ON TABLE transfers IS 'Operations of kind transfer. Those of one account: join account_history.';
COMMENT ON COLUMN transfers.block_number IS 'number of its block';
COMMENT ON COLUMN transfers.op_in_block IS 'its number in the block';
COMMENT ON COLUMN transfers."timestamp" IS 'time of the head when it happened';
COMMENT ON COLUMN transfers.from_account IS 'who pays';
COMMENT ON COLUMN transfers.to_account IS 'who is paid';
COMMENT ON COLUMN transfers.amount IS 'in COIN';
COMMENT ON COLUMN transfers.memo IS 'what the sender wrote, encrypted where it begins with #';

CREATE TABLE accounts (
  name text PRIMARY KEY,
  created timestamptz,
  created_block integer NOT NULL,
  creator text,
  balance numeric(20,6) NOT NULL,
  vesting_shares numeric(20,6) NOT NULL
);
CREATE INDEX accounts_balance ON accounts ((balance + vesting_shares));
CREATE INDEX accounts_created_block ON accounts (created_block);
COMMENT ON TABLE accounts IS 'Every account, and what it has now.';
COMMENT ON COLUMN accounts.name IS 'its name on the chain';
COMMENT ON COLUMN accounts.created IS 'time of the head when it was created; null for those of the genesis';
COMMENT ON COLUMN accounts.created_block IS 'block in which it was created; 0 for those of the genesis';
COMMENT ON COLUMN accounts.creator IS 'who created and paid for it; null for those of the genesis';
COMMENT ON COLUMN accounts.balance IS 'in COIN, what can be spent at once';
COMMENT ON COLUMN accounts.vesting_shares IS 'in VESTS, each worth one COIN; without what protection against dilution owes and has not paid yet';

CREATE TABLE account_history (
  account text NOT NULL,
  block_number integer NOT NULL,
  op_in_block integer NOT NULL,
  balance numeric(20,6) NOT NULL,
  vesting_shares numeric(20,6) NOT NULL,
  balance_change numeric(20,6) NOT NULL,
  vesting_change numeric(20,6) NOT NULL,
  PRIMARY KEY (account, block_number, op_in_block)
);
CREATE INDEX account_history_block ON account_history USING brin (block_number) WITH (pages_per_range = 32);
COMMENT ON TABLE account_history IS 'Every operation that an account has to do with, and what it had behind that: balances over time. Joined with operations it is a statement.';
COMMENT ON COLUMN account_history.account IS 'name of the account';
COMMENT ON COLUMN account_history.block_number IS 'number of the block; 0 for what the genesis gave';
COMMENT ON COLUMN account_history.op_in_block IS 'number of the operation in the block; without such an operation it is what a block does silently: refunds an escrow that nobody ratified in time, burns what the account none was sent';
COMMENT ON COLUMN account_history.balance IS 'in COIN, behind the operation';
COMMENT ON COLUMN account_history.vesting_shares IS 'in VESTS, behind the operation';
COMMENT ON COLUMN account_history.balance_change IS 'what it added to the balance, fees included';
COMMENT ON COLUMN account_history.vesting_change IS 'what it added to the vesting shares';

CREATE TABLE documents (
  block_number integer NOT NULL,
  op_in_block integer NOT NULL,
  "timestamp" timestamptz NOT NULL,
  app_id numeric(20,0) NOT NULL,
  sender text NOT NULL,
  recipients text[] NOT NULL,
  kind text NOT NULL,
  data text NOT NULL,
  json jsonb,
  PRIMARY KEY (block_number, op_in_block)
);
CREATE INDEX documents_app_id ON documents (app_id, block_number, op_in_block);
CREATE INDEX documents_sender ON documents (sender, block_number, op_in_block);
CREATE INDEX documents_recipients ON documents USING gin (recipients) WITH (fastupdate = on);
COMMENT ON TABLE documents IS 'Operations of the kinds custom, custom_json and custom_binary.';
COMMENT ON COLUMN documents.block_number IS 'number of its block';
COMMENT ON COLUMN documents.op_in_block IS 'its number in the block';
COMMENT ON COLUMN documents."timestamp" IS 'time of the head when it happened';
COMMENT ON COLUMN documents.app_id IS 'the application that it belongs to';
COMMENT ON COLUMN documents.sender IS 'who wrote it';
COMMENT ON COLUMN documents.recipients IS 'whom it is for';
COMMENT ON COLUMN documents.kind IS 'custom, custom_json or custom_binary';
COMMENT ON COLUMN documents.data IS 'of custom_json the text, with U+FFFD for NUL; of the others bytes in hex';
COMMENT ON COLUMN documents.json IS 'of custom_json the same to be searched; null where PostgreSQL can not hold it: NUL characters, half surrogates, numbers of thousands of digits, hundreds of levels';

CREATE TABLE witness_changes (
  block_number integer NOT NULL,
  op_in_block integer NOT NULL,
  "timestamp" timestamptz NOT NULL,
  owner text NOT NULL,
  kind text NOT NULL,
  url text,
  signing_key text,
  is_stopped boolean,
  PRIMARY KEY (block_number, op_in_block)
);
CREATE INDEX witness_changes_owner ON witness_changes (owner, block_number, op_in_block);
COMMENT ON TABLE witness_changes IS 'What witnesses said of themselves, and when they stopped.';
COMMENT ON COLUMN witness_changes.block_number IS 'number of the block; 0 for the first witness of the genesis';
COMMENT ON COLUMN witness_changes.op_in_block IS 'number of the operation in the block';
COMMENT ON COLUMN witness_changes."timestamp" IS 'time of the head when it happened';
COMMENT ON COLUMN witness_changes.owner IS 'the account of the witness';
COMMENT ON COLUMN witness_changes.kind IS 'kind of the operation; genesis';
COMMENT ON COLUMN witness_changes.url IS 'the new one; null where it did not change';
COMMENT ON COLUMN witness_changes.signing_key IS 'public key that signs its blocks from now on; null where that did not change';
COMMENT ON COLUMN witness_changes.is_stopped IS 'whether it makes no blocks from now on; null where that did not change';

CREATE TABLE vesting_withdrawals (
  block_number integer NOT NULL,
  op_in_block integer NOT NULL,
  "timestamp" timestamptz NOT NULL,
  account text NOT NULL,
  vesting_shares numeric(20,6) NOT NULL,
  is_instalment boolean NOT NULL,
  PRIMARY KEY (block_number, op_in_block)
);
CREATE INDEX vesting_withdrawals_account ON vesting_withdrawals (account, block_number, op_in_block);
COMMENT ON TABLE vesting_withdrawals IS 'Operations of the kinds withdraw_vesting and fill_vesting_withdraw.';
COMMENT ON COLUMN vesting_withdrawals.block_number IS 'number of its block';
COMMENT ON COLUMN vesting_withdrawals.op_in_block IS 'its number in the block';
COMMENT ON COLUMN vesting_withdrawals."timestamp" IS 'time of the head when it happened';
COMMENT ON COLUMN vesting_withdrawals.account IS 'who withdraws';
COMMENT ON COLUMN vesting_withdrawals.vesting_shares IS 'in VESTS: what is to be withdrawn, replacing an earlier wish, 0 ends it; or what was paid';
COMMENT ON COLUMN vesting_withdrawals.is_instalment IS 'whether it is one of the payments (fill_vesting_withdraw)';

CREATE TABLE escrow_changes (
  block_number integer NOT NULL,
  op_in_block integer NOT NULL,
  from_account text NOT NULL,
  escrow_id bigint NOT NULL,
  to_account text NOT NULL,
  agent text NOT NULL,
  coin_balance numeric(20,6) NOT NULL,
  pending_fee numeric(20,6) NOT NULL,
  to_approved boolean NOT NULL,
  agent_approved boolean NOT NULL,
  disputed boolean NOT NULL,
  ratification_deadline timestamptz NOT NULL,
  escrow_expiration timestamptz NOT NULL,
  is_open boolean NOT NULL,
  PRIMARY KEY (block_number, op_in_block)
);
CREATE INDEX escrow_changes_from ON escrow_changes (from_account, escrow_id, block_number, op_in_block);
COMMENT ON TABLE escrow_changes IS 'Every escrow behind each operation that changed it.';
COMMENT ON COLUMN escrow_changes.block_number IS 'number of the block';
COMMENT ON COLUMN escrow_changes.op_in_block IS 'number of the operation in the block; without such an operation the block refunded it, because it was not ratified in time';
COMMENT ON COLUMN escrow_changes.from_account IS 'who pays';
COMMENT ON COLUMN escrow_changes.escrow_id IS 'number that the payer gave it';
COMMENT ON COLUMN escrow_changes.to_account IS 'who is to be paid';
COMMENT ON COLUMN escrow_changes.agent IS 'who decides when they disagree';
COMMENT ON COLUMN escrow_changes.coin_balance IS 'in COIN, what it holds';
COMMENT ON COLUMN escrow_changes.pending_fee IS 'in COIN, what the agent gets once both have approved';
COMMENT ON COLUMN escrow_changes.to_approved IS 'whether the receiver has approved';
COMMENT ON COLUMN escrow_changes.agent_approved IS 'whether the agent has approved';
COMMENT ON COLUMN escrow_changes.disputed IS 'whether only the agent may release it';
COMMENT ON COLUMN escrow_changes.ratification_deadline IS 'until when both have to approve';
COMMENT ON COLUMN escrow_changes.escrow_expiration IS 'from when on either side may release it to any of them';
COMMENT ON COLUMN escrow_changes.is_open IS 'whether it still exists behind the operation';
`;

const views = `
CREATE VIEW statement AS
  SELECT h.account, h.block_number, h.op_in_block, coalesce(o."timestamp", b."timestamp") AS "timestamp",
         coalesce(o.kind, CASE WHEN h.block_number = 0 THEN 'genesis' ELSE 'end_of_block' END) AS kind,
         h.balance_change, h.vesting_change, h.balance, h.vesting_shares, t.id AS trx_id, o.body
  FROM account_history h
  LEFT JOIN operations o USING (block_number, op_in_block)
  LEFT JOIN blocks b ON b.number = h.block_number
  LEFT JOIN transactions t ON t.block_number = o.block_number AND t.trx_in_block = o.trx_in_block
  WHERE h.balance_change <> 0 OR h.vesting_change <> 0;
COMMENT ON VIEW statement IS 'What changed the balances of accounts, and what they had then: ask for one account, ORDER BY block_number, op_in_block.';

CREATE VIEW holders AS
  SELECT name AS account, balance, vesting_shares, balance + vesting_shares AS total FROM accounts;
COMMENT ON VIEW holders IS 'What accounts have; ORDER BY total DESC LIMIT 10 for the richest.';

CREATE VIEW witnesses AS
  SELECT owner,
         (array_agg(url ORDER BY block_number DESC, op_in_block DESC) FILTER (WHERE url IS NOT NULL))[1] AS url,
         (array_agg(signing_key ORDER BY block_number DESC, op_in_block DESC) FILTER (WHERE signing_key IS NOT NULL))[1] AS signing_key,
         coalesce((array_agg(is_stopped ORDER BY block_number DESC, op_in_block DESC) FILTER (WHERE is_stopped IS NOT NULL))[1], false) AS is_stopped
  FROM witness_changes GROUP BY owner;
COMMENT ON VIEW witnesses IS 'Witnesses as they are now.';

CREATE VIEW witness_health AS
  SELECT w.owner, w.url, w.is_stopped, last.number AS last_block_number, last."timestamp" AS last_block_time, day.blocks AS blocks_in_last_day
  FROM witnesses w
  LEFT JOIN LATERAL (SELECT number, "timestamp" FROM blocks WHERE witness = w.owner ORDER BY number DESC LIMIT 1) last ON true
  CROSS JOIN LATERAL (
    SELECT count(*) AS blocks FROM blocks b
    WHERE b.witness = w.owner
      AND b.number > (SELECT head_block_number - 86400 / block_interval_seconds FROM chain)
      AND b."timestamp" > (SELECT "timestamp" - interval '1 day' FROM blocks WHERE number = (SELECT head_block_number FROM chain))
  ) day;
COMMENT ON VIEW witness_health IS 'Which witnesses make blocks. Slots that nobody used are in blocks.missed_slots.';

CREATE VIEW vesting_calendar AS
  SELECT w.account, n AS instalment, w."timestamp" + n * c.vesting_withdraw_interval_seconds * interval '1 second' AS due,
         least(w.rate, w.vesting_shares - (n - 1) * w.rate) AS vesting_shares, n <= paid.count AS is_paid
  FROM chain c
  CROSS JOIN LATERAL (
    SELECT DISTINCT ON (account) *,
           greatest(trunc(vesting_shares / c.vesting_withdraw_intervals, 6), 0.000001) AS rate
    FROM vesting_withdrawals WHERE NOT is_instalment ORDER BY account, block_number DESC, op_in_block DESC
  ) w
  CROSS JOIN LATERAL (
    SELECT count(*) AS count FROM vesting_withdrawals p
    WHERE p.account = w.account AND p.is_instalment AND (p.block_number, p.op_in_block) > (w.block_number, w.op_in_block)
  ) paid
  CROSS JOIN LATERAL generate_series(1, ceil(w.vesting_shares / w.rate)::integer) n;
COMMENT ON VIEW vesting_calendar IS 'Which instalments of withdrawals of vesting shares are due when; of each account the last withdrawal.';
`;

/** Tables and views. */
export const version1 = tables + views;
