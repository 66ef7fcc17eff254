/**
 * Texts that PostgreSQL can't hold are kept apart, and this is the one place that says how: the comment of
 * `text_bytes`.
 */
export const version7 = `
CREATE FUNCTION text_bytes(stored text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $function$
  SELECT coalesce(string_agg(coalesce(bytes, ''::bytea), decode('efbfbd', 'hex') ORDER BY n), ''::bytea) FROM (
    SELECT n, (
      SELECT string_agg(CASE WHEN k = 1 THEN convert_to(piece, 'UTF8')
                             ELSE decode(left(piece, 2), 'hex') || convert_to(substr(piece, 3), 'UTF8') END, ''::bytea ORDER BY k)
      FROM unnest(string_to_array(segment, chr(65533))) WITH ORDINALITY AS pieces(piece, k)
    ) AS bytes
    FROM unnest(string_to_array(stored, repeat(chr(65533), 2))) WITH ORDINALITY AS segments(segment, n)
  ) parts
$function$;
COMMENT ON FUNCTION text_bytes IS 'The bytes of a text on the chain. Texts and jsonb of this database hold U+FFFD and two hex digits for a byte that PostgreSQL can not hold in a text, such as U+FFFD00 for NUL, and U+FFFD twice for the character U+FFFD itself; so different texts stay different. Every column with texts of the chain is stored so: operations.body, transfers.memo, documents.data, documents.json, witness_changes.url. In operations.body a text that is no valid UTF-8 is an object with its hex digits, as the API shows it.';

ALTER TABLE chain ADD texts_exact_from integer NOT NULL DEFAULT 1;
COMMENT ON COLUMN chain.texts_exact_from IS 'block from which on NUL in a text is told from U+FFFD. An earlier pharos wrote both as U+FFFD: in rows of blocks before this one, text_bytes has U+FFFD for either';
DO $migration$
DECLARE
  mark CONSTANT text := chr(65533);
BEGIN
  UPDATE operations SET body = replace(body::text, mark, mark || mark)::jsonb WHERE body::text LIKE '%' || mark || '%';
  IF FOUND THEN
    UPDATE chain SET texts_exact_from = head_block_number + 1;
    UPDATE transfers SET memo = replace(memo, mark, mark || mark) WHERE memo LIKE '%' || mark || '%';
    UPDATE documents SET data = replace(data, mark, mark || mark), json = replace(json::text, mark, mark || mark)::jsonb
      WHERE data LIKE '%' || mark || '%' OR json::text LIKE '%' || mark || '%';
    UPDATE witness_changes SET url = replace(url, mark, mark || mark) WHERE url LIKE '%' || mark || '%';
  END IF;
END
$migration$;

COMMENT ON COLUMN operations.body IS 'all members of the operation, as the API shows them; for NUL and U+FFFD in texts see the function text_bytes';
COMMENT ON COLUMN transfers.memo IS 'what the sender wrote, encrypted where it begins with #; text_bytes(memo) are its bytes on the chain';
COMMENT ON COLUMN documents.data IS 'of custom_json the text, whose bytes on the chain are text_bytes(data); of the others bytes in hex';
COMMENT ON COLUMN documents.json IS 'of custom_json the same to be searched, NUL and U+FFFD as text_bytes says; null where PostgreSQL can not hold it: half surrogates, numbers of thousands of digits, hundreds of levels';
COMMENT ON COLUMN witness_changes.url IS 'the new one, whose bytes on the chain are text_bytes(url); null where it did not change';
`;
