// Jitney in a process of its own, through its API: with or without a record of what happens.

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { QUEUE } from '../scenarios.js';
import { READY_LINE } from './up.js';

const [mode = '', root = '', dataDirectory = ''] = process.argv.slice(2);
const path = pathToFileURL(join(root, 'dist/emulator.js'));
const { startEmulator } = (await import(fileURLToPath(path))) as typeof import('../../../src/emulator.js');
const emulator = await startEmulator({ queues: [QUEUE], dataDirectory });
if (mode === 'recorded') emulator.events.since(0);
process.once('SIGTERM', () => process.exit());
console.log(`${emulator.connectionString}\n${READY_LINE}`);
