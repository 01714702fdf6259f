// Brokers that break one rule of transfers each.

import type { Flaw } from './broken-brokers.js';

export const TRANSFER_FLAWS: Readonly<Record<string, Flaw>> = {
  'loses in a restart what waits for another entity': {
    restored: (stored) =>
      stored.filter((event) => event.kind !== 'message-put' || event.message.destination === undefined),
  },
  'looks for the destination of a transfer that was checked before': {
    command: (command) => (command.kind === 'transfer' ? { ...command, isChecked: false } : command),
  },
  'says nothing of why a transfer has failed': {
    turn: (turn) => ({
      ...turn,
      events: turn.events.map((event) => {
        if (event.kind !== 'message-put' || turn.result.kind !== 'sent') return event;
        return { ...event, message: { ...event.message, propertyChanges: undefined } };
      }),
    }),
  },
};
