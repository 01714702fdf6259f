// The errors of a client of Service Bus: one sentence about what went wrong on the way to the service, or what it refused.

import { JitneyError, type JitneyErrorKind } from '../jitney-error.js';

/** True if the service may or may not have carried the request out. */
export function hasNoOutcome(error: unknown): boolean {
  const kinds: readonly JitneyErrorKind[] = ['interrupted', 'connection-lost', 'no-answer', 'link-ended'];
  return error instanceof JitneyError && kinds.includes(error.kind);
}

/** The error after Ctrl-C, or another signal to end. */
export function interruption(cause?: unknown): JitneyError {
  return new JitneyError('interrupted', 'Interrupted', { cause });
}

/** The error of a service, as links, outcomes and answers carry it. */
export type ServiceError = {
  readonly condition?: string | undefined;
  readonly description?: string | undefined;
};

/** The parts of the sentence: the service, the entity and the key. */
export type RequestContext = {
  readonly address: string;
  readonly path: string;
  /** Undefined if the user gave a token and not a key. */
  readonly keyName: string | undefined;
  readonly waitsForSession?: boolean;
};

const KINDS: Readonly<Record<string, JitneyErrorKind>> = {
  'amqp:unauthorized-access': 'access-refused',
  'com.microsoft:auth-failed': 'access-refused',
  'amqp:not-found': 'no-entity',
  'com.microsoft:session-cannot-be-locked': 'session-held',
  'com.microsoft:timeout': 'no-answer',
};
/** Azure's sentences for a receiver and a sender that name no session. */
const NEEDS_SESSION = /non-sessionful message receiver|SessionId was not set|requires sessions/i;
/** The data for Azure's support that follows a sentence. */
const TRACKING = /(?:TrackingId|Reference):.*$/s;

export function refusalOf(
  { condition = '', description }: ServiceError,
  context: RequestContext,
): JitneyError {
  const { address, path, keyName, waitsForSession = false } = context;
  const text = (description ?? '').replace(TRACKING, '').trimEnd() || condition || 'no reason is given';
  if (NEEDS_SESSION.test(text)) {
    return new JitneyError('needs-session', `'${path}' requires sessions, but no session is named`);
  }
  const kind = KINDS[condition] ?? 'refused';
  switch (kind) {
    case 'access-refused': {
      const access = keyName === undefined ? 'the token' : `the key '${keyName}'`;
      return new JitneyError(kind, `${address} refuses ${access} for '${path}': ${text}`);
    }
    case 'no-entity':
      return new JitneyError(kind, `There is no queue, topic or subscription '${path}' at ${address}`);
    case 'session-held':
      return new JitneyError(kind, `Another receiver holds the session of '${path}': ${text}`);
    case 'no-answer':
      if (waitsForSession)
        return new JitneyError('no-session', `No session of '${path}' had a message in time`);
      return new JitneyError(kind, `${address} did not carry out the request for '${path}' in time: ${text}`);
    default:
      return new JitneyError(kind, `${address} refuses the request for '${path}': ${text}`);
  }
}
