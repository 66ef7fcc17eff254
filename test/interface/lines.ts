import assert from 'node:assert/strict';
import type { Json } from '../outside/json.ts';
import type { Refused } from '../outside/program.ts';
import type { Chain } from './chain.ts';
import { mismatch, type Shape } from './shapes.ts';
import type { Part, Parts, Stage } from './stage.ts';

/** One line of a table: a sentence or a row of the text, and how it is seen to be true. */
export interface Line {
  /** Words of the sentence that no other sentence of its section has, or the first cell of the row. */
  readonly text: string;
  /** The checked part of it, when it is not all. */
  readonly note: string;
  /** The part to which it speaks. */
  readonly on: Part;
  readonly check: (stage: Stage) => Promise<void>;
}

/** The table of one section of the text; the title is its headings, joined by ` / `. */
export interface Section {
  readonly title: string;
  readonly lines: readonly Line[];
}

/** A question to a chain, or to another part. */
type Ask<On> = (on: On) => Promise<Json>;

/** The words of a table whose lines speak to one kind of thing. */
interface Words<On> {
  /** A line in which one thing is asked and has an answer of that shape. */
  row(text: string, ask: Ask<On>, shape: Shape, note?: string): Line;
  /** A line that is a story of its own; it fails by an assertion. */
  story(text: string, note: string, tell: (on: On) => Promise<void>): Line;
}

/** The words of a table whose lines speak to that part of the stage. */
export function on<P extends Part>(part: P): Words<Parts[P]> {
  const story: Words<Parts[P]>['story'] = (text, note, tell) => ({
    text,
    note,
    on: part,
    check: async (stage) => await tell(await stage.part(part)),
  });
  return {
    story,
    row: (text, ask, shape, note = '') => story(text, note, async (one) => expect(shape, await ask(one))),
  };
}

/** Params as they stand, or made when the line is looked at. */
type Params = Json | ((chain: Chain) => Json | Promise<Json>);

/** A call and its result. */
export function call(method: string, params: Params = {}): Ask<Chain> {
  return async (chain) => await chain.ask(method, await made(params, chain));
}

/** A call, and what it is refused with. */
export function refusal(method: string, params: Params): Ask<Chain> {
  return async (chain) => shownRefusal(await chain.refusal(method, await made(params, chain)));
}

async function made(params: Params, chain: Chain): Promise<Json> {
  return typeof params === 'function' ? await params(chain) : params;
}

function shownRefusal({ code, name, message, data }: Refused): Json {
  return { code, name, message, data };
}

/** Fails with the first place where a value is not of its shape. */
export function expect(shape: Shape, value: Json): void {
  const fault = mismatch(shape, value);
  if (fault !== undefined) assert.fail(fault);
}
