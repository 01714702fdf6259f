// Runs the commands that change messages or show one: with a Jitney over its control interface, with any other service over AMQP.

import { AmqpClient } from '../../client/amqp-client.js';
import { addressOf, portOf, type Service } from '../../client/service.js';
import { flagName } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { CONNECTION_VARIABLE } from '../control/connection-choice.js';
import type { ManagedCommand } from '../control/control-commands.js';
import type { AddressFlags } from '../control/emulator-address.js';
import { findJitney } from '../control/find-jitney.js';
import { type RunControlContext, runControl } from '../control/run-control.js';
import { targetOptions, UNSHOWN_CONNECTION } from '../control/target-options.js';
import { connectFailure } from '../messages/client-failure.js';
import { refuseDrops } from '../messages/duplicate-check.js';
import { fullPathAt } from '../messages/named-entity.js';
import { refuseOther } from '../messages/run-message-command.js';
import { findService } from '../messages/service-target.js';
import { printError } from '../output/error-report.js';
import { manageOther, type OtherContext, planManaging } from './manage-other.js';
import { noHistory, showOther } from './show-other.js';

type Target = {
  readonly service: Service;
  /** The flag or variable that gives the address; undefined if none does. */
  readonly from: string | undefined;
};

/** Resolves with the exit code. */
export async function runManage(
  command: ManagedCommand,
  flags: AddressFlags,
  context: RunControlContext & OtherContext,
): Promise<number> {
  const { environment, askRunning, stderr, interrupted } = context;
  let settings: Settings | undefined;
  try {
    const { connectionString, namespace, ...startFlags } = flags;
    settings = readSettings(startFlags, environment);
    const jitney = await findJitney({ settings, flags, environment, askRunning });
    if (jitney !== undefined) return await runControl(command, flags, context);
    prepare(command, flags, context); // refuses wrong options before anything is connected
    const choice = { connectionString, namespace, transport: 'amqp', flags: startFlags, settings } as const;
    const { service, entityPath, from } = await findService({ ...choice, environment, askRunning });
    refuseOther(command.entity, entityPath);
    const client = await AmqpClient.connect(service, interrupted).catch((error) => {
      throw connectFailure(error, { service, from });
    });
    try {
      const entity = await fullPathAt(command.entity, client, { service, askRunning });
      return await prepare({ ...command, entity }, flags, context)(client, { service, from });
    } finally {
      await client.close();
    }
  } catch (error) {
    return printError(error, settings, { stderr, command: command.name, isJson: command.isJson });
  }
}

/** Throws a JitneyError for wrong options. */
function prepare(
  command: ManagedCommand,
  flags: AddressFlags,
  context: OtherContext,
): (client: AmqpClient, target: Target) => Promise<number> {
  switch (command.name) {
    case 'show':
      return (client) => showOther(client, command, context);
    case 'history':
      return async (_, { service, from }) => {
        const named = { options: targetOptions(flags), copied: copiedName(service, from) };
        throw noHistory({ address: addressOf(service), ...named }, command);
      };
    default: {
      const { name: word, entity, manage, isJson } = command;
      const plan = planManaging({ word, entity, flags: manage, isJson }, context.now());
      return async (client, { service }) => {
        if (plan.target !== undefined)
          await refuseDrops(plan.target, manage, { service, interrupted: context.interrupted });
        return manageOther(client, plan, context);
      };
    }
  }
}

/** The word with which `jitney copy` names the service. */
function copiedName(service: Service, from: string | undefined): string {
  if (from === flagName('connectionString')) return UNSHOWN_CONNECTION;
  return from === CONNECTION_VARIABLE ? from : String(portOf(service));
}
