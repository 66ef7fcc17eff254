import { refusals } from '../base/refusal.ts';

/** The refusals of the JSON reader. `at` is a byte offset from the start of the body, counted from 0. */
export const refuseJson = refusals({
  json_unexpected: 'expected {expected} at byte {at}',
  json_unfinished: 'the text ends at byte {at} where {expected} was expected',
  json_trailing: 'nothing but white space may follow the value, found more at byte {at}',
  json_too_deep: 'more than {limit} levels of nesting at byte {at}',
  json_invalid_utf8: 'not valid UTF-8 at byte {at}',
  json_byte_order_mark: 'a byte order mark is not part of JSON, found at byte {at}',
  json_control_character: 'a control character inside a string must be escaped, at byte {at}',
  json_invalid_escape: 'not a valid escape at byte {at}',
  json_lone_surrogate: 'half of a surrogate pair at byte {at}',
  json_number_too_long: 'an integer of more than {limit} digits at byte {at}',
  json_number_too_large: 'a number too large to be represented at byte {at}',
  json_duplicate_member: 'member "{member}" stands twice in {path}, the second time at byte {at}',
});
