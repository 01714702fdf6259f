// Runs the commands that look into the running emulator, over its control interface.

import type { Environment } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { printError } from '../output/error-report.js';
import { setClock } from './clock-command.js';
import { listConnections } from './connections-command.js';
import { ControlClient } from './control-client.js';
import type { AskingCommand } from './control-commands.js';
import { type AddressFlags, findEmulator } from './emulator-address.js';
import { changeFaults } from './fault-command.js';
import { loadMessages } from './load-command.js';
import { listEntities } from './ls-command.js';
import { type ManageContext, manageMessages } from './manage-command.js';
import { useNamespaces } from './namespaces-command.js';
import { resetEmulator } from './reset-command.js';
import type { AskRunning } from './running-authority.js';
import { showHistory, showMessage } from './show-command.js';
import { useSnapshot } from './snapshot-command.js';
import { showStatus } from './status-command.js';
import { stopEmulator } from './stop-command.js';
import { type TailContext, tailEvents } from './tail-command.js';

export type RunControlContext = TailContext &
  ManageContext & { readonly environment: Environment; readonly askRunning: AskRunning };

/** Resolves with the exit code: 3 if no emulator answers. */
export async function runControl(
  command: AskingCommand,
  flags: AddressFlags,
  context: RunControlContext,
): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = readSettings(flags, context.environment);
    const address = findEmulator(settings, flags, context.environment);
    const client = await ControlClient.open(address, context.askRunning);
    return (await run(command, client, context)) ?? 0;
  } catch (error) {
    const { name, isJson } = command;
    return printError(error, settings, { stderr: context.stderr, command: name, isJson });
  }
}

/** Resolves with the exit code, if it is not 0. */
async function run(
  command: AskingCommand,
  client: ControlClient,
  context: RunControlContext,
): Promise<number | undefined> {
  const { stdout, stderr, paint } = context;
  const output = { stdout, stderr, paint, isJson: command.isJson };
  switch (command.name) {
    case 'ls':
      return listEntities(client, command, output);
    case 'status':
      await showStatus(client, output);
      return undefined;
    case 'stop':
      await stopEmulator(client, { ...output, sleep: context.sleep });
      return undefined;
    case 'connections':
      await listConnections(client, output);
      return undefined;
    case 'namespaces':
      await useNamespaces(client, command, output);
      return undefined;
    case 'purge':
    case 'move':
    case 'resubmit':
      return manageMessages(client, command, context);
    case 'load':
      await loadMessages(client, command, output);
      return undefined;
    case 'show':
      await showMessage(client, command, output);
      return undefined;
    case 'history':
      await showHistory(client, command, output);
      return undefined;
    case 'reset':
      return resetEmulator(client, command, context);
    case 'snapshot':
      return useSnapshot(client, command, context);
    case 'clock':
      await setClock(client, command, output);
      return undefined;
    case 'fault':
      await changeFaults(client, command, output);
      return undefined;
    case 'tail':
      return tailEvents(client, command, context);
    default:
      return command satisfies never;
  }
}
