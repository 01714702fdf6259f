// Node with one listening socket and nothing else: what any server's start and memory cost at least.

import { createServer } from 'node:net';
import { sayUp } from './up.js';

const server = createServer();
sayUp(server);
server.listen(0, '127.0.0.1');
