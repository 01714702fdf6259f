// com.microsoft:update-disposition: settles messages by their lock tokens, whatever became of their link (SET-08, DEF-05).

import type { Outcome } from '../../broker/command.js';
import type { PropertyChange } from '../../broker/message/message-properties.js';
import { textOf } from '../../codec/read-value.js';
import { propertyChangesOf } from '../../content/property-changes.js';
import { type ManagementOperation, OK } from './management-operation.js';
import {
  fieldError,
  type ManagementRequest,
  readEncodedMap,
  readField,
  readLockTokens,
  readSession,
  readText,
} from './request-fields.js';

const DISPOSITION_STATUS = 'disposition-status';
const PROPERTIES_TO_MODIFY = 'properties-to-modify';
/** The fields with which a message is dead-lettered, and the properties it has then (DLQ-05). */
const DEAD_LETTER_TEXTS = [
  { field: 'deadletter-reason', property: 'DeadLetterReason' },
  { field: 'deadletter-description', property: 'DeadLetterErrorDescription' },
] as const;

export const updateDisposition: ManagementOperation = (request) => ({
  command: {
    kind: 'settle-many', // SET-08, DEF-05
    entityPath: request.entityPath,
    lockTokens: readLockTokens(request),
    outcome: readOutcome(request),
    session: readSession(request), // SET-09
  },
  response: () => OK,
});

function readOutcome(request: ManagementRequest): Outcome {
  const changes = propertyChangesOf(readEncodedMap(request, PROPERTIES_TO_MODIFY)); // SET-07
  // SET-08
  switch (textOf(readField(request, DISPOSITION_STATUS))) {
    case 'completed':
      return { kind: 'complete' };
    case 'abandoned':
      return { kind: 'abandon', changes };
    case 'defered': // as all SDKs write it
    case 'deferred':
      return { kind: 'defer', changes };
    case 'suspended':
      return { kind: 'dead-letter', changes: [...changes, ...readDeadLetterTexts(request)] };
    default:
      throw fieldError(request, {
        name: DISPOSITION_STATUS,
        wanted: "'completed', 'abandoned', 'defered' or 'suspended'",
      });
  }
}

function readDeadLetterTexts(request: ManagementRequest): PropertyChange[] {
  const changes: PropertyChange[] = [];
  for (const { field, property } of DEAD_LETTER_TEXTS) {
    const value = readText(request, field);
    if (value !== undefined) changes.push({ name: property, value }); // DLQ-05
  }
  return changes;
}
