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

export class CertificateError extends Error {
  readonly kind: CertificateErrorKind;
  readonly path: string;

  constructor(kind: CertificateErrorKind, path: string, text: string, cause?: unknown) {
    super(text, { cause });
    this.name = 'CertificateError';
    this.kind = kind;
    this.path = path;
  }
}

/** What the system said, such as ENOENT. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
