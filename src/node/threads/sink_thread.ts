import { workerData } from 'node:worker_threads';
import { systemClock } from '../../base/clock.ts';
import { openLog } from '../../base/log.ts';
import { eventForms } from '../../sinks/event_form.ts';
import { NatsSink } from '../../sinks/nats/nats_sink.ts';
import { chainSubject, streamName } from '../../sinks/nats/nats_settings.ts';
import { SinkChain } from '../../sinks/sink_chain.ts';
import { StreamWriter } from '../../sinks/stream_writer.ts';
import { chainView } from '../../state/chain_view.ts';
import { attachReader } from '../../storage/rocksdb.ts';
import { parametersOf } from '../chain_settings.ts';
import { SinkHost } from '../sinks/sink_host.ts';
import type { FromSink, SinkThreadSettings, ToSink } from '../sinks/sink_messages.ts';
import { failureOf } from './thread_failure.ts';
import { nameSourceLines } from './source_lines.ts';
import { starterPort } from './thread_port.ts';

nameSourceLines();

/** Blocks are read once each. */
const CACHED_ROWS = 16;

const front = starterPort<ToSink, FromSink>();

try {
  start(settingsOfThread());
} catch (error) {
  front.post(failureOf(error));
  front.close();
}

function start({ nats, chain, storeHandle, mayRevert, logLevel }: SinkThreadSettings): void {
  const { chainId, blockIntervalSeconds, profile } = parametersOf(chain);
  const form = eventForms[nats.format];
  const [subject, stream] = [chainSubject(chainId), streamName(chainId, nats.stream)];
  const writer = new StreamWriter({
    chain: new SinkChain(chainView(attachReader(storeHandle), CACHED_ROWS), blockIntervalSeconds, profile.coinSymbol),
    sink: new NatsSink({ connection: nats.connection, subject, stream, form, clock: systemClock }),
    rules: { form, notation: { ...profile, dialect: 'default', operationForm: 'pair' }, withOperations: nats.withOperations },
    ...{ irreversibleOnly: nats.irreversibleOnly, mayRevert, clock: systemClock, log: openLog(logLevel, 'sink') },
  });
  new SinkHost(writer, front, systemClock).start();
}

/** The settings that the front passed to this thread. */
function settingsOfThread(): SinkThreadSettings;
function settingsOfThread(): unknown {
  const settings: unknown = workerData;
  return settings;
}
