// The part of the standard WebAssembly interface that wasm.ts uses; TypeScript declares it only in the browser's
// library.
declare namespace WebAssembly {
  type Exports = Readonly<Record<string, unknown>>;
  class Module {
    constructor(bytes: Uint8Array);
  }
  class Instance {
    constructor(module: Module);
    readonly exports: Exports;
  }
  class Memory {
    readonly buffer: ArrayBuffer;
  }
}
