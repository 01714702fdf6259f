// com.microsoft:cancel-scheduled-message: deletes messages before their time, all that are named or none (SCH-06).

import { type ManagementOperation, OK } from './management-operation.js';
import { readSequenceNumbers } from './request-fields.js';

export const cancelScheduledMessage: ManagementOperation = (request) => ({
  command: {
    kind: 'cancel-scheduled',
    entityPath: request.entityPath,
    sequenceNumbers: readSequenceNumbers(request, { canBeEmpty: false }),
  },
  response: () => OK,
});
