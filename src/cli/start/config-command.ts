// `jitney config`: prints the settings and entities of a start with the same options, and why it would be refused.

import { existsSync } from 'node:fs';
import { lossWarnings, withCertDirectory } from '../../config/certificate-directory.js';
import { readConfigFile } from '../../config/config-text.js';
import {
  type ConfiguredEntities,
  collectEntities,
  DEFAULT_CONFIG_FILE,
} from '../../config/configured-entities.js';
import {
  type EffectiveEntities,
  type EffectiveEntity,
  type EffectiveRule,
  effectiveEntities,
} from '../../config/effective-entities.js';
import { type EffectiveValue, effectiveSettings } from '../../config/effective-settings.js';
import { type Environment, type Flags, flagName } from '../../config/environment.js';
import { readSettings, type Settings } from '../../config/settings.js';
import { isOfKind, type RefusedProperty } from '../../jitney-error.js';
import type { CommandContext } from '../output/command-context.js';
import { printError } from '../output/error-report.js';
import { createLog } from '../output/output.js';
import {
  dryRun,
  importedEntities,
  locationOf,
  type OpenImport,
  type StartEmulator,
  withConfigFile,
  withStorage,
} from './emulator-start.js';

export type ConfigContext = Pick<CommandContext, 'environment' | 'stdout' | 'stderr'> & {
  /** The config file that a start would use if none is named and this one exists. */
  readonly mountedConfigFile: string;
  readonly isJson: boolean;
  readonly startEmulator: StartEmulator;
  readonly openImport: OpenImport;
};

/** Resolves with the exit code. Wrong options or a wrong config give the same code as a start. */
export async function runConfig(flags: Flags, context: ConfigContext): Promise<number> {
  let settings: Settings | undefined;
  try {
    settings = withConfigFile(readSettings(flags, context.environment), context.mountedConfigFile);
    settings = await withStorage(settings, flags, context.environment);
    settings = await withCertDirectory(settings);
    const imported = await importedEntities(settings, context);
    const configured = await collectEntities({ ...settings, imported });
    const log = createLog(settings.logLevel, context.stderr);
    const warnings = [...settings.warnings, ...lossWarnings(settings), ...configured.warnings];
    for (const warning of warnings) log.warn(warning);
    const shown = await show(configured, settings, { flags, environment: context.environment });
    context.stdout(context.isJson ? formatConfigJson(shown) : formatConfig(shown));
    await check(configured, settings, context);
    return 0;
  } catch (error) {
    return printError(error, settings, { stderr: context.stderr, command: 'config', isJson: context.isJson });
  }
}

type Given = { readonly flags: Flags; readonly environment: Environment };

async function show(
  configured: ConfiguredEntities,
  settings: Settings,
  { flags, environment }: Given,
): Promise<ShownConfig> {
  // Read again for its locations, because a start reads the default file without them.
  const isDefault = settings.configFile === DEFAULT_CONFIG_FILE;
  const { locations } = isDefault ? await readConfigFile(DEFAULT_CONFIG_FILE) : configured;
  return {
    settings: effectiveSettings(settings, flags, environment),
    ...effectiveEntities(configured, settings, locations),
  };
}

/** Throws the error that a start would throw. It does not open the data directory, which may be in use. */
async function check(
  configured: ConfiguredEntities,
  settings: Settings,
  { startEmulator, stderr }: ConfigContext,
): Promise<void> {
  const { dataDirectory, logLevel } = settings;
  try {
    const located = (refused: RefusedProperty) => locationOf(refused, settings, configured);
    await dryRun(configured, settings, { startEmulator, locationOf: located });
  } catch (error) {
    const isForwarding = isOfKind(error, 'bad-forwarding');
    if (!isForwarding || dataDirectory === undefined || !existsSync(dataDirectory)) throw error;
    createLog(logLevel, stderr).warn(
      `${error.message} This does not apply if it is kept in ${dataDirectory}, which was not opened.`,
    );
  }
}

type ShownConfig = EffectiveEntities & { readonly settings: readonly EffectiveValue[] };

const NAME_WIDTH = 43;
const VALUE_WIDTH = 30;

/** A table with one row for each value: its name, the value and its origin. */
function formatConfig({ settings, queues, topics }: ShownConfig): string {
  const sections = [
    ['Settings', ...settings.map(({ name, value, from }) => row(flagName(name), value, from))],
    ...queues.map((queue) => sectionOf('Queue', queue.name, queue)),
    ...topics.flatMap((topic) => [
      sectionOf('Topic', topic.name, topic),
      ...topic.subscriptions.map((subscription) => [
        ...sectionOf('Subscription', `${topic.name}/${subscription.name}`, subscription),
        ...subscription.rules.map(ruleRow),
      ]),
    ]),
  ];
  return `${sections.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function sectionOf(kind: string, name: string, { from, properties }: EffectiveEntity): string[] {
  return [`${kind} ${name}   ${from}`, ...properties.map((one) => row(one.name, one.value, one.from))];
}

function row(name: string, value: EffectiveValue['value'], from: string): string {
  const text = String(value ?? '-').replace(/\s+/g, ' '); // SQL may have lines
  return `  ${name.padEnd(NAME_WIDTH)} ${text.padEnd(VALUE_WIDTH)} ${from}`;
}

function ruleRow({ name, filter, action, from }: EffectiveRule): string {
  const text = filterText(filter);
  return row(`rule ${name}`, action === undefined ? text : `${text} => ${action.expression}`, from);
}

function filterText(filter: EffectiveRule['filter']): string {
  switch (filter.kind) {
    case 'true':
    case 'false':
      return filter.kind;
    case 'sql':
    case 'selector':
      return filter.expression;
    case 'correlation': {
      const { kind: _, ...conditions } = filter;
      return JSON.stringify(conditions);
    }
    default:
      return filter satisfies never;
  }
}

function formatConfigJson({ settings, queues, topics }: ShownConfig): string {
  const shown = {
    settings: byName(settings),
    queues: queues.map(entityJson),
    topics: topics.map(({ subscriptions, ...topic }) => ({
      ...entityJson(topic),
      subscriptions: subscriptions.map(({ rules, ...subscription }) => ({
        ...entityJson(subscription),
        rules: rules.map(({ action, ...rule }) => ({ ...rule, action: action ?? null })),
      })),
    })),
  };
  return `${JSON.stringify(shown, undefined, 2)}\n`;
}

function entityJson({ name, from, properties }: EffectiveEntity): object {
  return { name, from, properties: byName(properties) };
}

function byName(values: readonly EffectiveValue[]): object {
  return Object.fromEntries(values.map(({ name, value, from }) => [name, { value, from }]));
}
