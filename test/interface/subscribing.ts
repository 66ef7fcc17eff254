import type { Json } from '../outside/json.ts';
import { expect, on, refusal, type Line } from './lines.ts';
import { has, type Shape } from './shapes.ts';

const { row, story } = on('dev');

/**
 * Lines about a group's subscription to what Bob receives in an application; `shapeOf` says how the group answers a
 * `return_id`.
 */
export function subscriptionLines(
  sentence: string,
  group: string,
  appId: number,
  shapeOf: (returnId: number) => Shape,
): Line[] {
  const method = `${group}.custom_object_subscription`;
  const params = (return_id: number): { readonly [member: string]: Json } => ({
    ...{ return_id, app_id: appId, account_name: 'bob', search_type: 'by_recipient', start: 1 },
  });
  return [
    row(
      sentence,
      refusal(method, params(7)),
      has({ name: 'no_connection' }),
      'by a POST, which nobody can be told anything over',
    ),
    story(sentence, 'over a WebSocket', async ({ program }) => {
      const socket = await program.socket();
      const answer = await socket.call(method, params(8));
      socket.close();
      expect(has({ result: shapeOf(8) }), answer);
    }),
  ];
}
