import { systemClock } from '../../base/clock.ts';
import { openLog } from '../../base/log.ts';
import { eventForms } from '../../sinks/event_form.ts';
import { NatsSink } from '../../sinks/nats/nats_sink.ts';
import { chainSubject, streamName } from '../../sinks/nats/nats_settings.ts';
import { SinkChain } from '../../sinks/sink_chain.ts';
import { StreamWriter } from '../../sinks/stream_writer.ts';
import { chainView } from '../../state/chain_view.ts';
import { attachReader } from '../../storage/rocksdb.ts';
import { readParameters } from '../../settings/chain_settings.ts';
import { AcknowledgedFile } from './acknowledged_file.ts';
import { SinkHost } from './sink_host.ts';
import { type FromSink, type SinkThreadSettings, type ToSink, sinkThread } from './sink_messages.ts';
import { threadFailure } from '../../system/thread_failure.ts';
import { nameSourceLines } from '../../system/source_lines.ts';
import { threadSettings } from '../../system/thread_settings.ts';
import { starterPort } from '../../system/thread_port.ts';

nameSourceLines();

/** Blocks are read once each. */
const CACHED_ROWS = 16;

const front = starterPort<ToSink, FromSink>();

try {
  start(threadSettings(sinkThread));
} catch (error) {
  front.post(threadFailure(error));
  front.close();
}

function start({ nats, folder, chain, storeHandle, mayRevert, log: logSettings }: SinkThreadSettings): void {
  const { chainId, blockIntervalSeconds, profile } = readParameters(chain);
  const form = eventForms[nats.format];
  const [subject, stream] = [chainSubject(chainId), streamName(chainId, nats.stream)];
  const log = openLog(logSettings, 'sink');
  const kept = new AcknowledgedFile(folder, [...nats.connection.servers, stream].join(' '), log.warning);
  const writer = new StreamWriter({
    chain: new SinkChain(chainView(attachReader(storeHandle), CACHED_ROWS), blockIntervalSeconds, profile.coinSymbol),
    sink: new NatsSink({ connection: nats.connection, subject, stream, form, clock: systemClock, kept }),
    rules: {
      form,
      encoding: { ...profile, dialect: 'default', operationForm: 'pair' },
      withOperations: nats.withOperations,
    },
    ...{ irreversibleOnly: nats.irreversibleOnly, mayRevert, clock: systemClock, log },
  });
  new SinkHost(writer, front, systemClock).start();
}
