// com.microsoft:set-session-state: stores bytes with a session in place of those there were, or clears them (SES-15).

import { bytesOf, entryOf } from '../../codec/read-value.js';
import { ownBytes } from '../../content/items.js';
import { type ManagementOperation, OK } from './management-operation.js';
import { fieldError, type ManagementRequest, requireSession } from './request-fields.js';

const SESSION_STATE = 'session-state';

export const setSessionState: ManagementOperation = (request) => ({
  command: {
    kind: 'set-session-state',
    entityPath: request.entityPath,
    session: requireSession(request),
    state: readState(request),
  },
  response: () => OK,
});

/** Undefined to clear it, which go-amqp asks for with a binary of length 0. A state that is left out is no null: what an application has stored is not lost to a misspelling. */
function readState(request: ManagementRequest): Uint8Array | undefined {
  const field = entryOf(request.body, SESSION_STATE);
  if (field?.value === null) return undefined;
  const state = bytesOf(field);
  if (state !== undefined) return state.length === 0 ? undefined : ownBytes(state);
  throw fieldError(request, { name: SESSION_STATE, wanted: 'a binary, or null to clear the state' });
}
