// The error of a port that cannot be opened, in three kinds that a person can act on.

import { JitneyError } from '../jitney-error.js';

const KIND_OF_CODE: Readonly<Record<string, keyof typeof SENTENCES>> = {
  EADDRINUSE: 'in-use',
  EACCES: 'not-permitted',
  EPERM: 'not-permitted',
  EADDRNOTAVAIL: 'bad-address',
  EAFNOSUPPORT: 'bad-address',
  EINVAL: 'bad-address',
  ENOTFOUND: 'bad-address',
  EAI_AGAIN: 'bad-address',
};

const SENTENCES = {
  'in-use': 'is in use',
  'not-permitted': 'cannot be opened, because this user has no permission',
  'bad-address': 'is not an address of this machine',
} as const;

/** A JitneyError for an error of `listen` with a known code, otherwise the error itself. */
export function translateListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const kind = KIND_OF_CODE[code];
  if (kind === undefined) return error;
  const subject = kind === 'bad-address' ? `Host ${host}` : `Port ${port} on ${host}`;
  return new JitneyError(kind, `${subject} ${SENTENCES[kind]}`, { cause: error });
}
