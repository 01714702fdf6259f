// The rows of the table of options about TLS and certificates.

import { readCertHost } from '../setting-readers.js';
import type { Option } from './option.js';
import { listOf, PORT_OR_OFF, SWITCH_OFF, TLS_PORT, textType } from './option-types.js';

export const AMQPS_PORT = 5671;

export const TLS_OPTIONS = {
  tlsPort: {
    flag: '--tls-port <n|off>',
    variables: ['JITNEY_TLS_PORT'],
    type: TLS_PORT,
    defaultText: '5671 if the port is 5672, else off',
    defaultInCode: 'off',
    help: 'the port to which AMQP over TLS connects by default',
    docs: "the port to which clients of AMQP over TLS connect by default. If 5671 is the default and in use, a warning says so; in code, `'ifFree'` takes 5671 in the same way",
  },
  httpsPort: {
    flag: '--https-port <n|off>',
    variables: ['JITNEY_HTTPS_PORT'],
    type: PORT_OR_OFF,
    default: 'off',
    help: 'the port to which HTTPS and WebSocket connect by default, 443',
    docs: 'the port to which clients of HTTPS and WebSocket connect by default, 443',
  },
  noTls: {
    flag: '--no-tls',
    variables: ['JITNEY_NO_TLS'],
    type: SWITCH_OFF,
    setting: 'tls',
    isShown: true,
    help: 'no port uses TLS',
    docs: "`'off'`: no port uses TLS; `'on'`: every port does, and the certificate is made when the first client needs it",
  },
  cert: {
    flag: '--cert <file>',
    variables: ['JITNEY_CERT'],
    type: textType('a file', 'the path of a PEM file'),
    help: 'a certificate of your own, in PEM; with --key',
    docs: 'the path of a PEM file with a certificate of your own, followed by its intermediate certificates; needs `--key`, in code `key`',
  },
  key: {
    flag: '--key <file>',
    variables: ['JITNEY_KEY'],
    type: textType('a file', 'the path of a PEM file'),
    help: 'its private key, in PEM',
    docs: 'the path of the PEM file with its private key',
  },
  certHost: {
    flag: '--cert-host <name[:port]>',
    variables: ['JITNEY_CERT_HOSTS'],
    type: listOf(readCertHost),
    setting: 'certHosts',
    isShown: true,
    help: "a further name for the emulator's own certificate",
    docs: "a further name or address for Jitney's own certificate, in addition to the names of this machine; with a port for clients that look for one",
  },
  certDirectory: {
    flag: '--cert-directory <dir>',
    variables: ['JITNEY_CERT_DIRECTORY'],
    type: textType('a directory', 'the path of a directory'),
    setting: 'certificateDirectory',
    defaultText: 'one for all projects, in your home',
    defaultTextInCode: '`certificates` in `dataDirectory`; without that, in memory',
    help: "the directory of the emulator's own certificates",
    docs: "the directory of Jitney's own certificates, which emulators may share; see [trust](tls-and-keys.md#trust)",
  },
} as const satisfies Readonly<Record<string, Option>>;
