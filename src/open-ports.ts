// Opens the ports of an emulator: before a start changes anything, so that it can be refused, or else when it serves clients.

import type { EmulatorOptions } from './config/options/emulator-options.js';
import { AMQPS_PORT } from './config/options/tls-options.js';
import { certificateOptions } from './config/part-options.js';
import type { Gateway } from './gateway/gateway.js';
import type { Address } from './gateway/listen.js';
import { Port } from './gateway/port.js';
import { JitneyError } from './jitney-error.js';
import { openCertificates } from './security/certificates.js';

export type Ports = {
  readonly port: number;
  readonly httpPort: number | undefined;
  readonly tlsPort: number | undefined;
  readonly httpsPort: number | undefined;
};

/** Opens one of the ports, and returns its number. */
type Open = (name: keyof Ports, address: Address) => Promise<number>;

/** Opens the configured ports; `port` is the one in the connection string. Those that are held already are taken. Throws a JitneyError. */
export function openPorts(options: EmulatorOptions, gateway: Gateway, held?: HeldPorts): Promise<Ports> {
  return openEach(options, async (name, address) => {
    const port = held?.take(name);
    return port === undefined ? gateway.open(address) : gateway.take(port);
  });
}

async function openEach(
  {
    host = 'localhost',
    port = 0,
    httpPort = 'off',
    tlsPort = 'off',
    httpsPort = 'off',
    log,
  }: EmulatorOptions,
  open: Open,
): Promise<Ports> {
  const openIfOn = async (name: keyof Ports, wanted: number | 'off') =>
    wanted === 'off' ? undefined : open(name, { host, port: wanted });
  const warnTaken = (error: unknown) => {
    if (!(error instanceof JitneyError)) throw error;
    const text = `${error.message}, so clients that dial it by default cannot connect. Choose another with --tls-port, or off`;
    log?.('warn', text);
    return undefined;
  };
  return {
    port: await open('port', { host, port }),
    httpPort: await openIfOn('httpPort', httpPort),
    tlsPort:
      tlsPort === 'ifFree'
        ? await open('tlsPort', { host, port: AMQPS_PORT }).catch(warnTaken)
        : await openIfOn('tlsPort', tlsPort),
    httpsPort: await openIfOn('httpsPort', httpsPort),
  };
}

/** The ports of a start that has yet to change something. They stay open, and their clients wait until the emulator serves them. */
export class HeldPorts {
  readonly #ports = new Map<keyof Ports, Port>();

  /** Opens the given certificate and every port. Throws the JitneyError that refuses the start. */
  async open(options: EmulatorOptions): Promise<void> {
    if (options.tls !== 'off') await openCertificates(certificateOptions(options));
    await openEach({ ...options, log: () => {} }, async (name, address) => {
      const port = await Port.open(address);
      this.#ports.set(name, port);
      return port.port;
    });
  }

  /** Hands a port on; undefined if it is not held. */
  take(name: keyof Ports): Port | undefined {
    const port = this.#ports.get(name);
    this.#ports.delete(name);
    return port;
  }

  /** Closes the ports that nobody has taken. */
  async close(): Promise<void> {
    await Promise.all([...this.#ports.values()].map((port) => port.close(0)));
  }
}
