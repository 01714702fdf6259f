// Why there is no certificate to serve TLS with, in kinds that a person can do something about.

export type CertificateErrorKind =
  /** A file cannot be read, or the folder cannot be written to. */
  | 'certificate-unreadable'
  | 'certificate-unwritable'
  /** A file is not in the PEM of what it should be. */
  | 'certificate-invalid'
  | 'certificate-key-mismatch'
  | 'certificate-expired'
  /** Of our own authority only half is there, or what is there does not belong together. */
  | 'authority-incomplete';

/** Codes are for ever: none is used a second time, here or by another class of error. */
const CODES: Readonly<Record<CertificateErrorKind, string>> = {
  'certificate-unreadable': 'JIT2011',
  'certificate-unwritable': 'JIT2012',
  'certificate-invalid': 'JIT2013',
  'certificate-key-mismatch': 'JIT2014',
  'certificate-expired': 'JIT2015',
  'authority-incomplete': 'JIT2016',
};

export class CertificateError extends Error {
  readonly kind: CertificateErrorKind;
  /** The code that the command line prints before the message, such as `JIT2015`. */
  readonly code: string;
  readonly path: string;

  constructor(kind: CertificateErrorKind, path: string, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = 'CertificateError';
    this.kind = kind;
    this.code = CODES[kind];
    this.path = path;
  }
}

/** What the system said, such as ENOENT. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
