// Creates entities as a person does, by `jitney create`, for the programs of all languages.

import { fileURLToPath } from 'node:url';
import { LAST_LIMIT_MS, RunningProcess } from '../support/running-process.js';

const PROGRAM = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
/** The programs expect what is given here. */
const COMMANDS: readonly (readonly string[])[] = [
  [
    'create',
    'queue',
    'made?lockDuration=PT20S&maxDeliveryCount=2&defaultMessageTimeToLive=PT1H&forwardDeadLetteredMessagesTo=made-graves',
    'made-graves',
    'made-sessions?requiresSession=true',
  ],
  ['create', 'topic', 'made-events/red+all'],
  ['create', 'rule', 'made-events/red/color', '--sql', "color = 'red'"],
  ['delete', 'rule', 'made-events/red/$Default'],
];

/** Throws if a command fails. */
export async function createByCommand(connectionString: string, program = PROGRAM): Promise<void> {
  for (const words of COMMANDS) {
    const command = new RunningProcess([program, ...words, '--connection-string', connectionString]);
    const exit = await command.endedWithin(LAST_LIMIT_MS);
    if (exit?.code !== 0)
      throw new Error(`jitney ${words.join(' ')} ended with ${exit?.code}:\n${command.output}`);
  }
}
