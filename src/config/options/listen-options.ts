// The rows of the table of options that say where an emulator listens.

import type { Option } from './option.js';
import { PORT, PORT_OR_OFF, textType } from './option-types.js';

export const LISTEN_OPTIONS = {
  host: {
    flag: '--host <address>',
    variables: ['JITNEY_HOST'],
    type: textType('an address', 'a host name or an IP address'),
    isShown: true,
    default: 'localhost',
    defaultText: 'localhost: 127.0.0.1 and ::1',
    help: 'where to listen',
    docs: 'the address to listen on; `localhost` is the loopback address of IPv4 and, if the machine has it, of IPv6',
  },
  port: {
    flag: '-p, --port <n>',
    variables: ['JITNEY_PORT'],
    type: PORT,
    default: 5672,
    defaultInCode: 0,
    help: 'the port for AMQP, HTTP, WebSocket and TLS; 0 takes a free one, also for --http-port',
    docs: 'the port for AMQP, HTTP and WebSocket, each with TLS or without; 0 takes a free port',
  },
  httpPort: {
    flag: '--http-port <n|off>',
    // The second variable is the official emulator's.
    variables: ['JITNEY_HTTP_PORT', 'EMULATOR_HTTP_PORT'],
    type: PORT_OR_OFF,
    default: 5300,
    defaultText: '5300, or with --port 0 a free one',
    defaultInCode: 'off',
    help: 'a second port, for GET /health and administration',
    docs: 'a second port for the same protocols, on which tools expect `GET /health` and the administration; 0 takes a free port',
  },
} as const satisfies Readonly<Record<string, Option>>;
