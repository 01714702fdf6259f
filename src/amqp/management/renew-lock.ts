// com.microsoft:renew-lock: holds the locks of some messages for another lock duration (RCV-08).

import assert from 'node:assert';
import { amqp } from '../../codec/types.js';
import { type ManagementOperation, OK } from './management-operation.js';
import { readLockTokens } from './request-fields.js';

const EXPIRATIONS = 'expirations';

export const renewLock: ManagementOperation = (request) => ({
  command: {
    kind: 'renew-lock',
    entityPath: request.entityPath,
    lockTokens: readLockTokens(request),
  },
  response(answer) {
    assert(answer.kind === 'renewed');
    return { ...OK, body: amqp.map([[amqp.string(EXPIRATIONS), amqp.timestampArray(answer.lockedUntil)]]) };
  },
});
