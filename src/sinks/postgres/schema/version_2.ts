/** Adds facts of the chain that a stream does not tell, the index's lag, and relations between tables. */
export const version2 = `
ALTER TABLE chain
  ADD genesis_time timestamptz,
  ADD key_prefix text,
  ADD constants_prefix text,
  ADD is_private_net boolean,
  ADD source_head_block_num integer NOT NULL DEFAULT 0,
  ADD updated timestamptz NOT NULL DEFAULT now();
COMMENT ON COLUMN chain.genesis_time IS 'when it began';
COMMENT ON COLUMN chain.key_prefix IS 'what texts of its public keys begin with';
COMMENT ON COLUMN chain.constants_prefix IS 'what names of its constants begin with, in lower case';
COMMENT ON COLUMN chain.is_private_net IS 'whether operations cost no fees there';
COMMENT ON COLUMN chain.source_head_block_num IS 'the last block that the source knew when this row was updated';
COMMENT ON COLUMN chain.updated IS 'when blocks were last written or taken back';

CREATE VIEW index_lag AS
  SELECT c.head_block_number, b."timestamp" AS head_block_time, c.last_irreversible_block_num,
         greatest(0, c.source_head_block_num - c.head_block_number) AS blocks_behind,
         round(extract(epoch FROM now() - b."timestamp")) AS seconds_behind, c.updated
  FROM chain c LEFT JOIN blocks b ON b.number = c.head_block_number;
COMMENT ON VIEW index_lag IS 'How far behind its chain this index is. Seconds count from the last block: more than a few while blocks_behind is 0 is an indexer or a source that has stopped.';

ALTER TABLE vesting_withdrawals
  ADD FOREIGN KEY (block_number, op_in_block) REFERENCES operations DEFERRABLE INITIALLY DEFERRED,
  ADD FOREIGN KEY (account) REFERENCES accounts DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE witness_changes
  ADD FOREIGN KEY (owner) REFERENCES accounts DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE escrow_changes
  ADD FOREIGN KEY (block_number) REFERENCES blocks DEFERRABLE INITIALLY DEFERRED,
  ADD FOREIGN KEY (from_account) REFERENCES accounts DEFERRABLE INITIALLY DEFERRED;
`;
