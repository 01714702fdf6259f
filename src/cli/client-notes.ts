// Notes for programs that no variable can replace, in plain sentences without quotes: they stand in comments of a shell.

import { AMQPS_PORT } from '../config/options.js';
import type { Settings } from '../config/settings.js';

const HTTPS_PORT = 443;

/** None without TLS: then only connection strings with UseDevelopmentEmulator=true are of use. */
export function clientNotes({ tls, tlsPort, httpsPort }: Settings): readonly string[] {
  if (tls === 'off') return [];
  return [
    'Python: AMQP over TLS trusts what certifi has, or connection_verify of ServiceBusClient; the variables are for administration.',
    `Java: administration dials ${HTTPS_PORT}${httpsPort === HTTPS_PORT ? '' : `, so start with --https-port ${HTTPS_PORT}`}; UseDevelopmentEmulator needs azure-messaging-servicebus 7.17.8.`,
    `azure-servicebus-jms: dials ${AMQPS_PORT}${tlsPort === AMQPS_PORT ? '' : `, so start with --tls-port ${AMQPS_PORT}`}, unless its host is given with a port.`,
    ...(tlsPort === AMQPS_PORT && httpsPort !== HTTPS_PORT
      ? [
          `Administration of a namespace by its name alone dials ${HTTPS_PORT}: start with --https-port ${HTTPS_PORT}, or use the connection string.`,
        ]
      : []),
  ];
}
