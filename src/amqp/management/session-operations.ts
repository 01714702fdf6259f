// Operations on message sessions: list them, renew the lock of one, read and write its state (SES-11, SES-15, SES-17).

import assert from 'node:assert';
import { LAST_INSTANT } from '../../broker/contract/instant.js';
import { bytesOf, entryOf } from '../../codec/read-value.js';
import { amqp } from '../../codec/types.js';
import { ownBytes } from '../../content/encoded-values.js';
import {
  type ManagementOperation,
  type ManagementRequest,
  NOTHING_FOUND,
  OK,
} from './management-operation.js';
import { fieldError, readCount, readTimestamp, requireSession } from './request-fields.js';
import type { BodyWriter } from './request-message.js';

const LAST_UPDATED_TIME = 'last-updated-time';
/** The start of the page. Java also sends `last-session-id`, the end of the last page, which is not needed. */
const SKIP = 'skip';
const TOP = 'top';
const SESSION_IDS = 'sessions-ids'; // as the service spells it
const EXPIRATION = 'expiration';
const SESSION_STATE = 'session-state';
const MAP32 = 0xd1;

/** com.microsoft:get-message-sessions: lists the sessions of an entity, page by page (SES-17). */
export const getMessageSessions: ManagementOperation = (request) => {
  const skip = readCount(request, SKIP, { least: 0 });
  return {
    command: {
      kind: 'list-sessions',
      entityPath: request.entityPath,
      stateSetAfter: readStateSetAfter(request),
      skip,
      maxCount: readCount(request, TOP),
    },
    response(answer) {
      assert(answer.kind === 'sessions');
      const { sessionIds } = answer;
      if (sessionIds.length === 0) return NOTHING_FOUND;
      return {
        ...OK,
        body: amqp.map([
          // The start of the next page. Java sends it back as it is.
          [amqp.string(SKIP), amqp.int(skip + sessionIds.length)],
          [amqp.string(SESSION_IDS), amqp.stringArray(sessionIds)],
        ]),
      };
    },
  };
};

function readStateSetAfter(request: ManagementRequest): number | undefined {
  const time = readTimestamp(request, LAST_UPDATED_TIME);
  // SES-17: SDKs ask for all sessions with the greatest time of .NET; Java cuts it to the millisecond, Go rounds it up to the year 10000.
  return time === undefined || time >= LAST_INSTANT ? undefined : time;
}

/** com.microsoft:renew-session-lock: holds a session for another lock duration (SES-11). */
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

/** com.microsoft:get-session-state: returns the bytes that are stored with a session, or null (SES-15). */
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

/** A map even without a state, because SDKs read from it. The bytes, which may be many, are copied once. */
function stateBody(state: Uint8Array | undefined): BodyWriter {
  return (writer) =>
    writer.compound32(MAP32, () => {
      writer.string(SESSION_STATE);
      if (state === undefined) writer.null();
      else writer.binary(state);
      return 2;
    });
}

/** com.microsoft:set-session-state: replaces the bytes that are stored with a session, or clears them (SES-15). */
export const setSessionState: ManagementOperation = (request) => ({
  command: {
    kind: 'set-session-state',
    entityPath: request.entityPath,
    session: requireSession(request),
    state: readState(request),
  },
  response: () => OK,
});

/**
 * Reads the new state; undefined clears it, and go-amqp sends an empty binary for that. A missing field is an error, not a
 * null, because a misspelling must not lose an application's state.
 */
function readState(request: ManagementRequest): Uint8Array | undefined {
  const field = entryOf(request.body, SESSION_STATE);
  if (field?.value === null) return undefined;
  const state = bytesOf(field);
  if (state !== undefined) return state.length === 0 ? undefined : ownBytes(state);
  throw fieldError(request, { name: SESSION_STATE, wanted: 'a binary, or null to clear the state' });
}
