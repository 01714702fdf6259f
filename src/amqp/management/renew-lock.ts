// com.microsoft:renew-lock: holds the locks of some messages for another lock duration (RCV-08).

import { ServiceBusError } from '../../broker/service-bus-error.js';
import { entryOf, itemsOf, uuidOf } from '../../codec/read-value.js';
import { amqp } from '../../codec/types.js';
import { type ManagementOperation, OK } from './management-operation.js';

const LOCK_TOKENS = 'lock-tokens';
const EXPIRATIONS = 'expirations';

export const renewLock: ManagementOperation = {
  command(body, entityPath) {
    const items = itemsOf(entryOf(body, LOCK_TOKENS));
    const lockTokens = items?.map(uuidOf).filter((token) => token !== undefined);
    if (items === undefined || items.length === 0 || lockTokens?.length !== items.length) {
      throw new ServiceBusError(
        'argument',
        `The request needs '${LOCK_TOKENS}', an array of one or more uuids.`,
        entityPath,
      );
    }
    return { kind: 'renew-lock', entityPath, lockTokens };
  },

  response(result) {
    const lockedUntil = result.kind === 'renewed' ? result.lockedUntil : [];
    return { ...OK, body: amqp.map([[amqp.string(EXPIRATIONS), amqp.timestampArray(lockedUntil)]]) };
  },
};
