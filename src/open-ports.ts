// Opens the ports of an emulator, and tries them before a start changes anything.

import type { Socket } from 'node:net';
import type { EmulatorOptions } from './config/options/emulator-options.js';
import { AMQPS_PORT } from './config/options/tls-options.js';
import { certificateOptions } from './config/part-options.js';
import { Gateway } from './gateway/gateway.js';
import type { JitneyError } from './jitney-error.js';
import { openCertificates } from './security/certificates.js';

export type Ports = {
  readonly port: number;
  readonly httpPort: number | undefined;
  readonly tlsPort: number | undefined;
  readonly httpsPort: number | undefined;
};

/** Opens the configured ports; `port` is the one in the connection string. Throws a JitneyError. */
export async function openPorts(
  {
    host = 'localhost',
    port = 0,
    httpPort = 'off',
    tlsPort = 'off',
    httpsPort = 'off',
    log,
  }: EmulatorOptions,
  gateway: Gateway,
): Promise<Ports> {
  const open = async (wanted: number | 'off') =>
    wanted === 'off' ? undefined : gateway.open({ host, port: wanted });
  const warnTaken = ({ message }: JitneyError) =>
    log?.(
      'warn',
      `${message}, so clients that dial it by default cannot connect. Choose another with --tls-port, or off`,
    );
  return {
    port: await gateway.open({ host, port }),
    httpPort: await open(httpPort),
    tlsPort:
      tlsPort === 'ifFree'
        ? await gateway.openIfFree({ host, port: AMQPS_PORT }, warnTaken)
        : await open(tlsPort),
    httpsPort: await open(httpsPort),
  };
}

/**
 * Opens the given certificate and every port, and closes the ports again. Throws the JitneyError that a
 * start would throw now; another process may still take a port before the start opens it.
 */
export async function tryCertificateAndPorts(options: EmulatorOptions): Promise<void> {
  const destroy = (socket: Socket) => socket.destroy();
  const gateway = new Gateway({ amqp: destroy, http: destroy });
  try {
    if (options.tls !== 'off') await openCertificates(certificateOptions(options));
    await openPorts({ ...options, log: () => {} }, gateway);
  } finally {
    await gateway.close();
  }
}
