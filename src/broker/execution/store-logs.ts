// Creates the logs that `queue/` does not know: for message sessions and for waiting transfers.

import { MessageSessions, SessionedLog } from '../sessions/message-sessions.js';
import type { LogMakers } from '../store/store-ports.js';
import { TransferLog } from '../topics/transfer-log.js';

export const STORE_LOGS: LogMakers = {
  forTransfers: () => new TransferLog(),
  withSessions(log) {
    const sessions = new MessageSessions();
    return { log: new SessionedLog(log, sessions), sessions };
  },
};
