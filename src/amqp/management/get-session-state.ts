// com.microsoft:get-session-state: gives back the bytes that were stored with a session, or null (SES-15).

import assert from 'node:assert';
import type { BodyWriter } from '../request-message.js';
import { type ManagementOperation, OK } from './management-operation.js';
import { requireSession } from './request-fields.js';

const SESSION_STATE = 'session-state';
const MAP32 = 0xd1;

export const getSessionState: ManagementOperation = (request) => ({
  command: {
    kind: 'get-session-state',
    entityPath: request.entityPath,
    session: requireSession(request),
  },
  response(answer) {
    assert(answer.kind === 'session-state');
    return { ...OK, body: stateBody(answer.state) };
  },
});

/** A map also where there is no state: SDKs look into it. The bytes may be many and are written once. */
function stateBody(state: Uint8Array | undefined): BodyWriter {
  return (writer) =>
    writer.compound32(MAP32, () => {
      writer.string(SESSION_STATE);
      if (state === undefined) writer.null();
      else writer.binary(state);
      return 2;
    });
}
