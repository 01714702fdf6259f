// One handshake as Node has it: client <file to trust or none> <port> <name>.

import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

const [file, port, name] = process.argv.slice(2);
const ca = file === 'none' ? [] : [readFileSync(file)];
const socket = connect({ host: '127.0.0.1', port, ca, ...(isIP(name) ? {} : { servername: name }) }, () => {
  console.log('ok');
  socket.destroy();
});
socket.on('error', (error) => console.log(error.message));
