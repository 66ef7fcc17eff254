// Names the step that a sample belongs to: the innermost frame that a rule knows decides.
import type { Frame } from './frames.ts';

/** Names of steps whose frames are known, in the order of the sheet. */
export const stepNames = [
  'HTTP: sockets, in the kernel',
  'HTTP: the server',
  'envelope and dispatch',
  'JSON scan',
  'broadcasts: batches, verdicts',
  'packing and reading bytes',
  'digest, id, leaf',
  'verification: expected signers, batches',
  'verification: curve',
  'memo guard',
  'accept, apply',
  'block: seal, record',
  'rows: cache, undo, state hash',
  'RocksDB: read',
  'RocksDB: write',
  'RocksDB: the binding',
  'disk, in the kernel',
  'network: links, TLS',
  'network: peers, bundles, blocks',
  'encode of answers',
  'subscriptions and feed',
  'metrics, limits, watches',
  'messages between threads',
  'wakes: futex, eventfd, in the kernel',
  'event loop, timers',
  'event loop, in the kernel',
  'collector',
  'compiler',
  'memory, in the kernel',
  'kernel: other',
  'other',
] as const;

export type StepName = (typeof stepNames)[number];

type Rules = readonly (readonly [RegExp, StepName])[];

/** By the source file of a function; the first that fits counts. Files that none names belong to their callers. */
const files: Rules = [
  [/^src\/crypto\/(?:hash_many|hashes|running_sha256)|^node:internal\/crypto\/hash/, 'digest, id, leaf'],
  [
    /^src\/crypto\/(?:shared_secret|wallet_memo|leaked_keys|memo_cipher|password_keys|wif|base58)|memo_guard/,
    'memo guard',
  ],
  [/^src\/crypto\//, 'verification: curve'],
  [
    /^src\/verifiers\/|^src\/blocks\/(?:verify|signature_gaps|authority_check|keys_to_sign)/,
    'verification: expected signers, batches',
  ],
  [/^src\/codec\/(?:json|plain_json)/, 'JSON scan'],
  [/^src\/(?:codec|values)\/|^src\/blocks\/(?:packed|verified|finding_bytes)/, 'packing and reading bytes'],
  [/^src\/storage\/rocksdb|^node_modules\/@nxtedition\//, 'RocksDB: the binding'],
  [/^src\/storage\//, 'rows: cache, undo, state hash'],
  [
    /^src\/chain\/(?:pending\/seal|ledger|forks|prune|apply\/record_block)|^src\/(?:production|witness|voting)\//,
    'block: seal, record',
  ],
  [/^src\/(?:chain|operations|state|blocks|queries)\//, 'accept, apply'],
  [/^src\/node\/threads\/writer\//, 'accept, apply'],
  [/^src\/node\/threads\//, 'broadcasts: batches, verdicts'],
  [
    /^src\/jsonrpc\/http\/|^node_modules\/uws|^node:(?:_http|http|internal\/http|net|internal\/stream|stream)/,
    'HTTP: the server',
  ],
  [/^src\/(?:jsonrpc\/(?:cache|answer_writer|chunked)|codec\/json_writer)/, 'encode of answers'],
  [/^src\/(?:jsonrpc\/limits|base\/(?:metrics|histogram)|node\/(?:watch|http)|tracing)/, 'metrics, limits, watches'],
  [/^src\/(?:jsonrpc|rpc)\//, 'envelope and dispatch'],
  [/^src\/(?:feed|notices)\//, 'subscriptions and feed'],
  [/^src\/wire\/link\/|^node:(?:_tls|tls|internal\/tls)/, 'network: links, TLS'],
  [/^src\/(?:p2p|wire|node\/network)\//, 'network: peers, bundles, blocks'],
  [
    /^node_modules\/piscina|^node:internal\/worker|^src\/system\/(?:direct_ports|thread_port)|^src\/base\/port/,
    'messages between threads',
  ],
  [/^node:internal\/(?:timers|process\/task_queues)|^node:timers|^src\/base\/clock/, 'event loop, timers'],
];

/** By the name of a function in native code. */
const natives: Rules = [
  [
    /v8::internal::(?:\(anonymous namespace\)::)?(?:Heap::(?:CollectGarbage|PerformGarbage|CollectAll|HandleGC|Scavenge|StartIncremental|EvaluateN|NotifyContext|InvokeNear)|Scaveng|Mark(?:Compact|ing)|Minor(?:Mark|GC)|Concurrent(?:Mark|Sweep)|Sweep|Incremental(?:Mark|Sweep)|MainMark|YoungGen|Evacuat|PointersUpdat|Unified|RememberedSet|ArrayBufferSweep|GCTracer|ScopedFullHeap|Stack::Iterate|WeakListVisitor|FullEvac|RootScav|MemoryBalancer|FreeListManager|PageEvac|ClientRoot|StressScav|ParallelWeak|GlobalHandles::(?:Iterate|Process|Invoke|PostGarbage))|^cppgc::/,
    'collector',
  ],
  [
    /v8::internal::(?:\(anonymous namespace\)::)?(?:compiler::|Optimiz(?:ed|ing)Compil|Compiler::|baseline::|maglev::|interpreter::(?!Runtime)|Pars(?:er|ing)|PreParser|Scanner|TieringManager|Deoptimiz|Turbo|BackgroundCompile|LazyCompile|ConcurrentBaseline|Code(?:Generator|Factory)::|wasm::(?:Compil|Execute|Native|Liftoff|WasmCompil|Turboshaft|Background|Publish|Function|WasmFull))|^Builtins_(?:CompileLazy|InterpreterOnStackReplacement|BaselineOnStack)/,
    'compiler',
  ],
  [
    /^rocksdb::(?:.*(?:::Write|WriteBatch|MemTableInserter|MemTable::Add|WAL|log::Writer|Flush|Compact|BuildTable|BlockBasedTableBuilder|SwitchMemtable|Fsync|Fdatasync|::Sync|WritableFile|Version(?:Set|Edit|Builder)::|JobContext|FindObsolete)|InlineSkipList<.*>::Insert)/,
    'RocksDB: write',
  ],
  [/^rocksdb::.*(?:MultiGet|::Get|Iter|Seek|Lookup|BlockFetch|RandomAccess)/, 'RocksDB: read'],
  [/node::worker::Message|ValueSerializer|ValueDeserializer|node::worker::/, 'messages between threads'],
  [/^uv__async|^uv_async_send/, 'messages between threads'],
  [/^uWS|^us_/, 'HTTP: the server'],
  [/^node::crypto::(?:TLS|SSL)|^SSL_|^ssl3_|^tls_/, 'network: links, TLS'],
  [/^node::worker|^node::PerIsolatePlatform/, 'event loop, timers'],
  [/^uv__|^uv_run|SpinEventLoop|RunMicrotasks|InternalCallbackScope|node::.*Platform/, 'event loop, timers'],
];

/** By the name of a function of the kernel, outermost last. */
const kernel: Rules = [
  [/^(?:eventfd_|futex_|__x64_sys_futex|do_futex)/, 'wakes: futex, eventfd, in the kernel'],
  [/^(?:__x64_sys_epoll|do_epoll|ep_)/, 'event loop, in the kernel'],
  [
    /^(?:sock_|tcp_|inet_|__sys_(?:send|recv|accept)|unix_stream|__x64_sys_(?:send|recv|accept|shutdown))/,
    'HTTP: sockets, in the kernel',
  ],
  [
    /^(?:ext4_|xfs_|btrfs_|ovl_|vfs_fsync|__x64_sys_(?:fsync|fdatasync|fallocate|sync_file_range|unlink|open|rename|pread|pwrite|ftruncate)|generic_perform_write|shmem_file|fuse_|blk_|submit_bio)/,
    'disk, in the kernel',
  ],
  [/^__x64_sys_(?:mmap|munmap|madvise|mprotect|brk|mremap)/, 'memory, in the kernel'],
  [/^(?:do_syscall_64|__x64_sys_)/, 'kernel: other'],
];

/** The step of a stack, innermost frame first. */
export function findStep(frames: readonly Frame[]): StepName {
  // An interrupt or a page fault belongs to what it has interrupted.
  for (const frame of frames) {
    const step = frame.isKernel ? kernelStep(frame, frames) : userStep(frame);
    if (step !== undefined) return step;
  }
  return 'other';
}

function kernelStep({ name }: Frame, frames: readonly Frame[]): StepName | undefined {
  const step = match(kernel, name);
  // A socket of the network thread does not speak HTTP.
  return step === 'HTTP: sockets, in the kernel' && frames.some(({ bundle }) => bundle?.includes('network_thread'))
    ? 'network: links, TLS'
    : step;
}

function userStep({ name, file, object }: Frame): StepName | undefined {
  if (file !== undefined) return match(files, file);
  if (object.includes('uws_')) return 'HTTP: the server';
  return match(natives, name);
}

function match(rules: Rules, text: string): StepName | undefined {
  return rules.find(([pattern]) => pattern.test(text))?.[1];
}

/** Parts of the process, in the order of the sheet. */
export const partNames = [
  'front',
  'verifiers',
  'writer',
  'network',
  "V8's helpers",
  "RocksDB's threads",
  'others',
] as const;

export type PartName = (typeof partNames)[number];

const parts: readonly (readonly [RegExp, PartName])[] = [
  [/verifier_thread/, 'verifiers'],
  [/writer_thread/, 'writer'],
  [/network_thread/, 'network'],
  [/program\.cjs/, 'front'],
];

/** The part that a frame shows its thread to be. */
export function findPart({ name, bundle }: Frame): PartName | undefined {
  if (bundle !== undefined) return parts.find(([pattern]) => pattern.test(bundle))?.[1];
  if (/PlatformWorkerThread/.test(name)) return "V8's helpers";
  return name.startsWith('rocksdb::ThreadPool') ? "RocksDB's threads" : undefined;
}
