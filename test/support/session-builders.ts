// Builders for tests of message sessions: a broker with one queue, `orders`, that requires them, and short words for what is
// done with it. Clients that say nothing else come on one connection.

import type { Turn } from '../../src/broker/broker.js';
import type { ReceiveMode, SessionClaim } from '../../src/broker/contract/command.js';
import type { QueueDescription } from '../../src/broker/contract/entities/queue-description.js';
import type { Instant } from '../../src/broker/contract/instant.js';
import type { NewMessage } from '../../src/broker/contract/message-properties.js';
import type { FoundMessage } from '../../src/broker/contract/result.js';
import type { ErrorReason } from '../../src/broker/contract/service-bus-error.js';
import {
  type BrokerUnderTest,
  type BrokerUnderTestOptions,
  type GivenProperties,
  messageOf,
  messagesOf,
  withQueue,
} from './broker-builders.js';

export const CONNECTION = 1;
export const OTHER_CONNECTION = 2;
const QUEUE = 'orders';

export type AcceptingReceiver = {
  readonly entityPath?: string;
  readonly connectionId?: number;
  readonly receiveMode?: ReceiveMode;
};

export type ListedSessions = {
  readonly stateSetAfter?: Instant;
  readonly skip?: number;
  readonly maxCount?: number;
};

export function withSessionQueue(
  given: Partial<Omit<QueueDescription, 'name'>> = {},
  options: BrokerUnderTestOptions = {},
): BrokerUnderTest {
  return withQueue({ requiresSession: true, ...given }, options);
}

/** A message of a session. */
export function messageIn(sessionId: string, text = 'a', given: GivenProperties = {}): NewMessage {
  return messageOf(text, { sessionId, ...given });
}

/** Undefined as the session: the next one. */
export function tryAccept(
  bus: BrokerUnderTest,
  sessionId?: string,
  { connectionId = CONNECTION, receiveMode = 'peek-lock', entityPath = QUEUE }: AcceptingReceiver = {},
): { readonly linkId: number; readonly turn: Turn } {
  const linkId = bus.nextLinkId();
  const accept = { linkId, connectionId, entityPath, receiveMode, sessionId } as const;
  return { linkId, turn: bus.execute({ kind: 'accept-session', ...accept }) };
}

/** A receiver without credit that holds the session, or waits for the next one; answers its link id. */
export function accept(bus: BrokerUnderTest, sessionId?: string, given: AcceptingReceiver = {}): number {
  const { linkId, turn } = tryAccept(bus, sessionId, given);
  if (turn.result.kind === 'failed') throw turn.result.error;
  return linkId;
}

export function detach(bus: BrokerUnderTest, linkId: number): Turn {
  return bus.execute({ kind: 'detach', linkId });
}

/** By its id alone: on the connection of all who say nothing else. */
export function claimOf(session: SessionClaim | string): SessionClaim {
  return typeof session === 'string' ? { sessionId: session, connectionId: CONNECTION } : session;
}

export function renewSession(bus: BrokerUnderTest, session: SessionClaim | string): Turn {
  return bus.execute({ kind: 'renew-session-lock', entityPath: QUEUE, session: claimOf(session) });
}

export function getState(bus: BrokerUnderTest, session: SessionClaim | string): Turn {
  return bus.execute({ kind: 'get-session-state', entityPath: QUEUE, session: claimOf(session) });
}

/** The text of the state; undefined when there is none. */
export function stateOf(bus: BrokerUnderTest, session: SessionClaim | string): string | undefined {
  const { result } = getState(bus, session);
  if (result.kind === 'failed') throw result.error;
  if (result.kind !== 'session-state') throw new Error(`no state but ${result.kind}`);
  return result.contentId === undefined ? undefined : bus.textOf({ contentId: result.contentId });
}

export function setState(
  bus: BrokerUnderTest,
  session: SessionClaim | string,
  text: string | undefined,
): Turn {
  const state = text === undefined ? undefined : new TextEncoder().encode(text);
  return bus.execute({ kind: 'set-session-state', entityPath: QUEUE, session: claimOf(session), state });
}

export function listSessions(bus: BrokerUnderTest, given: ListedSessions = {}): readonly string[] {
  const { stateSetAfter, skip = 0, maxCount = 100 } = given;
  const { result } = bus.execute({
    kind: 'list-sessions',
    entityPath: QUEUE,
    stateSetAfter,
    skip,
    maxCount,
  });
  if (result.kind === 'failed') throw result.error;
  return result.kind === 'sessions' ? result.sessionIds : [];
}

export function peekSession(bus: BrokerUnderTest, sessionId: string): readonly FoundMessage[] {
  const range = { fromSequenceNumber: 0, maxCount: 1000 } as const;
  return messagesOf(bus.execute({ kind: 'peek', entityPath: QUEUE, ...range, sessionId }));
}

export function receiveDeferredIn(
  bus: BrokerUnderTest,
  session: SessionClaim | string | undefined,
  ...sequenceNumbers: number[]
): Turn {
  return bus.execute({
    kind: 'receive-deferred',
    entityPath: QUEUE,
    sequenceNumbers,
    receiveMode: 'peek-lock',
    session: session === undefined ? undefined : claimOf(session),
  });
}

/** Who was given which session in this turn, in order. */
export function acceptedIn({ effects }: Turn): readonly { linkId: number; sessionId: string }[] {
  return effects.flatMap((effect) =>
    effect.kind === 'session-accepted' ? [{ linkId: effect.linkId, sessionId: effect.sessionId }] : [],
  );
}

/** Links that were detached in this turn, and why. */
export function detachedIn({ effects }: Turn): readonly { linkId: number; reason: ErrorReason }[] {
  return effects.flatMap((effect) =>
    effect.kind === 'detach' ? [{ linkId: effect.linkId, reason: effect.error.reason }] : [],
  );
}

/** Number and delivery count of each message there is. */
export function countsOf(bus: BrokerUnderTest, entityPath = QUEUE): readonly (readonly [number, number])[] {
  return bus
    .peek(entityPath)
    .map(({ properties }) => [properties.sequenceNumber, properties.deliveryCount] as const);
}
