// The error of TLS without a certificate to serve, in kinds that a person can act on.

type CertificateErrorKind =
  /** A file cannot be read, or the folder cannot be written to. */
  | 'certificate-unreadable'
  | 'certificate-unwritable'
  /** A file does not contain the expected PEM. */
  | 'certificate-invalid'
  | 'certificate-key-mismatch'
  | 'certificate-expired'
  /** Certificate or key of our own authority is missing, or the two do not belong together. */
  | 'authority-incomplete';

/** Codes never change, and no other error uses them. */
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
