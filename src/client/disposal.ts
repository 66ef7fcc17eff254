// `using` needs these declarations in programs whose settings have no `esnext.disposable`. Runtimes have the symbol from
// Node 20, Chrome 134 and Firefox 141 on; in others nobody can write `using`.
declare global {
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>;
  }
}

/** Something that `using` and `await using` close. */
export type Closable = Disposable;
