// Messages are sent through one entity to another (TXN-10).

import type { MessageStore } from '../entity/message-store.js';
import { type CommandOf, inStore } from '../handler.js';
import type { Result } from '../result.js';
import { ServiceBusError } from '../service-bus-error.js';

export const TRANSFER = inStore(
  ({ path }: MessageStore, _command: CommandOf<'transfer'>): void => {
    throw new ServiceBusError('not-implemented', 'Transfers are not there yet.', { entityPath: path });
  },
  (): Result => ({ kind: 'sent', sequenceNumbers: [] }),
);
