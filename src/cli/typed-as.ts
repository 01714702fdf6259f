// The words with which the program was called, so that a command can be repeated as it was typed.

import { basename, relative, sep } from 'node:path';
import type { Environment } from '../config/environment.js';

/** `script` is the path of the program: a link of an installed package, or the file itself. */
export function typedAs(script: string, environment: Environment, workingDirectory: string): string {
  const { npm_command: command, npm_lifecycle_event: event } = environment;
  const isInstalled = script.split(sep).includes('node_modules');
  if (command === 'exec' || (isInstalled && script.includes(`${sep}.bin${sep}`))) return 'npx jitney';
  if (isInstalled || basename(script) === 'jitney') return 'jitney';
  if (event === 'start') return 'npm start --';
  const path = relative(workingDirectory, script);
  return `node ${path.startsWith('..') ? script : path}`;
}
