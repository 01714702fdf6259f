// com.microsoft:renew-session-lock: holds a session for another lock duration (SES-11).

import assert from 'node:assert';
import { amqp } from '../../codec/types.js';
import { type ManagementOperation, OK } from './management-operation.js';
import { requireSession } from './request-fields.js';

const EXPIRATION = 'expiration';

export const renewSessionLock: ManagementOperation = (request) => ({
  command: {
    kind: 'renew-session-lock',
    entityPath: request.entityPath,
    session: requireSession(request),
  },
  response(answer) {
    assert(answer.kind === 'renewed');
    const [lockedUntil] = answer.lockedUntil;
    assert(lockedUntil !== undefined);
    return { ...OK, body: amqp.map([[amqp.string(EXPIRATION), amqp.timestamp(lockedUntil)]]) };
  },
});
