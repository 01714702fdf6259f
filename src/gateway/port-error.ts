// The error of a port that cannot be opened, in three kinds that a person can act on.

type PortErrorKind = 'in-use' | 'not-permitted' | 'bad-address';

const KIND_OF_CODE: Readonly<Record<string, PortErrorKind>> = {
  EADDRINUSE: 'in-use',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  EADDRNOTAVAIL: 'bad-address',
  EAFNOSUPPORT: 'bad-address',
  EINVAL: 'bad-address',
  ENOTFOUND: 'bad-address',
  EAI_AGAIN: 'bad-address',
};

const SENTENCES: Readonly<Record<PortErrorKind, string>> = {
  'in-use': 'is in use',
  'not-permitted': 'may not be listened on by this user',
  'bad-address': 'is not an address of this machine',
};

/** Codes never change, and no other error uses them. */
const CODES: Readonly<Record<PortErrorKind, string>> = {
  'in-use': 'JIT1003',
  'not-permitted': 'JIT1004',
  'bad-address': 'JIT1005',
};

export class PortError extends Error {
  readonly kind: PortErrorKind;
  /** The code that the command line prints before the message, such as `JIT1003`. */
  readonly code: string;
  readonly host: string;
  readonly port: number;

  constructor(kind: PortErrorKind, host: string, port: number, cause: unknown) {
    const subject = kind === 'bad-address' ? `Host ${host}` : `Port ${port} on ${host}`;
    super(`${subject} ${SENTENCES[kind]}`, { cause });
    this.name = 'PortError';
    this.kind = kind;
    this.code = CODES[kind];
    this.host = host;
    this.port = port;
  }
}

/** A PortError for an error of `listen` with a known code, otherwise the error itself. */
export function translateListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const kind = KIND_OF_CODE[code];
  return kind === undefined ? error : new PortError(kind, host, port, error);
}
