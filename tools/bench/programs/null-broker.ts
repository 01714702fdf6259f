// N as a process: the null broker behind a TCP port.

import { createServer } from 'node:net';
import { NullBroker } from '../../../test/support/null-broker.js';
import { sayUp } from './up.js';

const broker = new NullBroker();
const server = createServer({ noDelay: true }, (socket) => broker.serve(socket));
sayUp(server);
server.listen(0, '127.0.0.1');
