import type { ProductionOperations, StandbyDescription } from '../rpc/services.ts';
import type { StandbyReport } from '../witness/standby.ts';
import type { ProductionReport } from './threads/messages.ts';
import type { WriterClient } from './threads/writer_client.ts';

/** What the operator's methods do, carried out by the writer. */
export function productionOperations(writer: WriterClient): ProductionOperations {
  async function report(): Promise<ProductionReport>;
  async function report(): Promise<unknown> {
    return await writer.ask({ kind: 'production' });
  }
  return {
    describe: async () => {
      const { isPaused, witnesses, standby, offers } = await report();
      return {
        isPaused,
        offers,
        standby: standby && describedStandby(standby),
        witnesses: witnesses.map(({ witness, obstacle = '', advice, missedSlots, nextSlot, slots }) => ({
          witness,
          obstacle,
          advice,
          missedSlots,
          nextSlot,
          slots,
        })),
      };
    },
    pause: async () => void (await writer.ask({ kind: 'pause', isPaused: true })),
    restartChain: async () => Number(await writer.ask({ kind: 'restart_chain' })),
    resume: async () => void (await writer.ask({ kind: 'pause', isPaused: false })),
  };
}

function describedStandby(report: StandbyReport): StandbyDescription {
  const { witness, since, hasTakenOver, obstacle, advice, signed, expires } = report;
  return { witness, since, hasTakenOver, obstacle: obstacle ?? '', advice, signed, expires };
}
