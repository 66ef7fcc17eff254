/** A protocol between two threads: each kind of question, with what it carries and what answers it. */
export type QuestionTable<Questions> = {
  readonly [Kind in keyof Questions]: { readonly question: object; readonly answer: unknown };
};

/** A question of that kind. */
export type Question<Questions extends QuestionTable<Questions>, Kind extends keyof Questions = keyof Questions> = {
  readonly kind: Kind;
} & Questions[Kind]['question'];

/** The answer to a question of that kind. */
export type Answer<
  Questions extends QuestionTable<Questions>,
  Kind extends keyof Questions,
> = Questions[Kind]['answer'];

/** The answering side: one function for each kind. */
export type Answerers<Questions extends QuestionTable<Questions>> = {
  readonly [Kind in keyof Questions]: (question: Question<Questions, Kind>) => Answer<Questions, Kind>;
};

/**
 * The same for a thread that waits for others before it answers. Buffers in `transfer` are moved to the asking thread.
 */
export type WaitingAnswerers<Questions extends QuestionTable<Questions>> = {
  readonly [Kind in keyof Questions]: (
    question: Question<Questions, Kind>,
    transfer: ArrayBuffer[],
  ) => Promise<Answer<Questions, Kind>>;
};

/** A question on its way. Its ticket is unique among those of the asking side. */
export interface Asked<Questions extends QuestionTable<Questions>> {
  readonly kind: 'ask';
  readonly ticket: number;
  readonly question: Question<Questions>;
}

/** An answer on its way back. */
export interface Answered<Questions extends QuestionTable<Questions>, Kind extends keyof Questions = keyof Questions> {
  readonly kind: 'answer';
  readonly to: Kind;
  readonly ticket: number;
  readonly value: Answer<Questions, Kind>;
}
