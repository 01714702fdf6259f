// The errors of a client of Service Bus: what went wrong on the way to it, or what it refused, in one sentence.

export type ClientErrorKind =
  | 'not-reachable'
  /** The certificate of the service is not trusted here. */
  | 'untrusted'
  /** The key or the token is wrong, or lacks the right. */
  | 'access-refused'
  | 'no-entity'
  /** The entity requires sessions, and none is named. */
  | 'needs-session'
  /** Another receiver holds the session. */
  | 'session-held'
  /** No session has a message, and time is up. */
  | 'no-session'
  /** Any other refusal; the text is that of the service. */
  | 'refused'
  | 'connection-lost'
  | 'no-answer'
  | 'interrupted'
  /** The link or its AMQP session ended before the service had answered. */
  | 'link-ended';

/** Codes never change and are never reused, here or by another class of error. */
const CODES: Readonly<Record<ClientErrorKind, string>> = {
  'not-reachable': 'JIT6001',
  untrusted: 'JIT6002',
  'access-refused': 'JIT6003',
  'no-entity': 'JIT6004',
  'needs-session': 'JIT6005',
  'session-held': 'JIT6006',
  'no-session': 'JIT6007',
  refused: 'JIT6008',
  'connection-lost': 'JIT6009',
  'no-answer': 'JIT6010',
  interrupted: 'JIT6011',
  'link-ended': 'JIT6012',
};

export class ClientError extends Error {
  readonly kind: ClientErrorKind;
  /** The code that the command line prints before the message, such as `JIT6001`. */
  readonly code: string;
  /** Lines that the command line prints below the message. */
  readonly problems: readonly string[];

  constructor(kind: ClientErrorKind, message: string, cause?: unknown, problems: readonly string[] = []) {
    super(message, { cause });
    this.name = 'ClientError';
    this.kind = kind;
    this.problems = problems;
    this.code = CODES[kind];
  }
}

/** Whether it is not known if the service has done what was asked. */
export function hasNoOutcome(error: unknown): boolean {
  const kinds: readonly ClientErrorKind[] = ['interrupted', 'connection-lost', 'no-answer', 'link-ended'];
  return error instanceof ClientError && kinds.includes(error.kind);
}

/** Ctrl-C, or another signal to end. */
export function interruption(cause?: unknown): ClientError {
  return new ClientError('interrupted', 'Interrupted', cause);
}

/** The error of a service, as links, outcomes and answers carry it. */
export type ServiceError = {
  readonly condition?: string | undefined;
  readonly description?: string | undefined;
};

/** The parts of the sentence: who was to do it, to which entity, by which key. */
export type RequestContext = {
  readonly address: string;
  /** The entity path of the request. */
  readonly path: string;
  /** Undefined for a token that was given whole. */
  readonly keyName: string | undefined;
  /** Whether the request waits for a session that is free. */
  readonly waitsForSession?: boolean;
};

const KINDS: Readonly<Record<string, ClientErrorKind>> = {
  'amqp:unauthorized-access': 'access-refused',
  'com.microsoft:auth-failed': 'access-refused',
  'amqp:not-found': 'no-entity',
  'com.microsoft:session-cannot-be-locked': 'session-held',
  'com.microsoft:timeout': 'no-answer',
};
/** Azure's sentences to a receiver and to a sender that name no session. */
const NEEDS_SESSION = /non-sessionful message receiver|SessionId was not set|requires sessions/i;
/** The data for support behind a sentence. */
const TRACKING = /(?:TrackingId|Reference):.*$/s;

export function refusalOf(
  { condition = '', description }: ServiceError,
  context: RequestContext,
): ClientError {
  const { address, path, keyName, waitsForSession = false } = context;
  const text = (description ?? '').replace(TRACKING, '').trimEnd() || condition || 'no reason is given';
  if (NEEDS_SESSION.test(text)) {
    return new ClientError('needs-session', `'${path}' requires sessions, and no session is named`);
  }
  const kind = KINDS[condition] ?? 'refused';
  switch (kind) {
    case 'access-refused': {
      const access = keyName === undefined ? 'the token' : `the key '${keyName}'`;
      return new ClientError(kind, `${address} refuses ${access} for '${path}': ${text}`);
    }
    case 'no-entity':
      return new ClientError(kind, `There is no queue, topic or subscription '${path}' at ${address}`);
    case 'session-held':
      return new ClientError(kind, `Another receiver holds the session of '${path}': ${text}`);
    case 'no-answer':
      if (waitsForSession)
        return new ClientError('no-session', `No session of '${path}' had a message in time`);
      return new ClientError(kind, `${address} has not done in time what was wanted of '${path}': ${text}`);
    default:
      return new ClientError(kind, `${address} refuses the request for '${path}': ${text}`);
  }
}
