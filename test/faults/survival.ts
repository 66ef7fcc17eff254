/** The rows of the guide "What survives a crash", by the beginning of what happens, and the tests that show each. */
export const survivalTests: Readonly<Record<string, readonly string[]>> = {
  '`kill -9`': ['outside/restarts'],
  'power failure': ['services/faulty_disk'],
  'disk full': ['services/faulty_disk'],
  'another process uses': ['outside/lost_data', 'data_folder/folder_lock'],
  'a file in place': ['outside/lost_data'],
  'CURRENT, a manifest': ['faults/damaged_files', 'outside/lost_data'],
  'a log (`*.log`)': ['outside/lost_data', 'data_folder/data_folder'],
  'a read meets damage': ['outside/lost_data'],
  'the witnesses agree': ['outside/outdated_node'],
  'the `genesis.json`': ['outside/lost_data'],
  'the clock is set': ['witness/production_loop', 'node/http/clock_offset', 'services/set_clock'],
  'a witness makes no blocks': ['witness/production_watch', 'outside/metrics'],
  'another machine signs': [
    ...['outside/signing_journal', 'sim/second_machine', 'outside/frozen_witness.long', 'witness/key_guard'],
  ],
  'the signing journal': ['witness/key_guard', 'outside/signing_journal'],
  'a write of the signing journal': ['services/journal_faults'],
  'the clock of this machine': ['witness/key_guard'],
  'requests are pipelined': ['outside/hostile_connections'],
};
