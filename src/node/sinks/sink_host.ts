import type { Clock } from '../../base/clock.ts';
import type { Port } from '../../base/port.ts';
import type { StreamWriter } from '../../sinks/stream_writer.ts';
import { threadFailure } from '../../system/thread_failure.ts';
import type { FromSink, ToSink } from './sink_messages.ts';

const STATE_EACH_MS = 1000;

/** Runs the writer of a stream in its thread: the feed only wakes it, rows say the rest. */
export class SinkHost {
  readonly #writer: Pick<StreamWriter, 'run' | 'wake' | 'stop' | 'figures'>;
  readonly #front: Port<ToSink, FromSink>;
  readonly #clock: Clock;
  #cancel: () => void = () => {};
  #closeFeed: () => void = () => {};

  constructor(
    writer: Pick<StreamWriter, 'run' | 'wake' | 'stop' | 'figures'>,
    front: Port<ToSink, FromSink>,
    clock: Clock,
  ) {
    this.#writer = writer;
    this.#front = front;
    this.#clock = clock;
  }

  start(): void {
    this.#front.listen((message) => this.#take(message));
    this.#tell();
    void this.#run();
  }

  async #run(): Promise<void> {
    try {
      await this.#writer.run();
      this.#end({ kind: 'stopped' });
    } catch (error) {
      this.#end(threadFailure(error));
    }
  }

  #end(message: FromSink): void {
    this.#cancel();
    this.#closeFeed();
    this.#front.post(message);
    this.#front.close();
  }

  #take(message: ToSink): void {
    if (message.kind === 'stop') return this.#writer.stop();
    const { port } = message;
    this.#closeFeed = () => port.close();
    port.listen(() => {
      port.post('taken');
      this.#writer.wake();
    });
  }

  #tell(): void {
    this.#front.post({ kind: 'state', figures: this.#writer.figures });
    this.#cancel = this.#clock.after(STATE_EACH_MS, () => this.#tell());
  }
}
