/**
 * Anchors that headings of a page had before they were written anew, each with the heading that has it now: a link from
 * elsewhere leads there still. Pages are named by their paths below the docs.
 */
export const formerAnchors: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'guides/disk_full.html': { 'what-to-do': 'make-room' },
  'guides/events.html': {
    'a-stream': 'start-a-stream',
    'the-command-line': 'read-it-on-the-command-line',
    javascript: 'events-in-nats',
    python: 'events-in-nats',
  },
  'guides/install.html': { 'put-pharos-on-the-path': 'install-pharos-and-put-it-on-the-path' },
  'guides/traces.html': { 'why-was-this-slow': 'why-was-one-payment-slow' },
  'guides/standby.html': {
    'switch-back-or-by-hand': 'switch-back',
    'move-the-witness-to-another-machine': 'switch-back',
  },
};
