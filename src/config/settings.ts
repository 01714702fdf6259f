// The settings of the command line: the values of all options, and what follows from several of them.

import { resolve } from 'node:path';
import { JitneyError } from '../jitney-error.js';
import {
  type Environment,
  type Flags,
  flagName,
  type Variable,
  variableFor,
  warnUnknownVariables,
} from './environment.js';
import { type OptionValues, SettingChoice } from './setting-choice.js';
import { type TlsSettings, tlsSettings } from './tls-settings.js';

export type Settings = Omit<OptionValues, 'memory' | 'dataDirectory' | keyof TlsSettings> &
  TlsSettings & {
    /** An absolute path; undefined: everything stays in memory. */
    readonly dataDirectory: string | undefined;
    /** A whole Config.json in place of a file. */
    readonly configJson: Variable | undefined;
    /** The flag or variable that gives the queues, the topics or the tier; undefined: none does. */
    readonly queuesFrom: string | undefined;
    readonly topicsFrom: string | undefined;
    readonly tierFrom: string | undefined;
    readonly warnings: readonly string[];
  };

/** Throws a JitneyError that names the flag or variable. */
export function readSettings(
  flags: Flags,
  environment: Environment,
  platform: NodeJS.Platform = process.platform,
): Settings {
  refuseEmpty(flags);
  const choice = new SettingChoice(flags, environment);
  // These two depend on each other: if one is given, the other is not read.
  const values = choice.readAll(['data', 'memory']);
  const settings: Settings = {
    ...values,
    ...tlsSettings(values, choice, platform),
    httpPort: chooseHttpPort(values, choice),
    dataDirectory: chooseData(choice),
    configJson: chooseConfigJson(choice),
    queuesFrom: choice.origin('queue'),
    topicsFrom: choice.origin('topic'),
    tierFrom: choice.origin('tier'),
    warnings: [...warnUnknownVariables(environment), ...warnUnusedConfigJson(choice)],
  };
  refuseSamePorts(settings);
  refuseTwoSources(settings, choice);
  return settings;
}

/** Port 0 means free ports: then the usual one, which another emulator may have, is not taken unless it is named. */
function chooseHttpPort(
  { port, httpPort }: Pick<Settings, 'port' | 'httpPort'>,
  choice: SettingChoice,
): number | 'off' {
  return port === 0 && choice.origin('httpPort') === undefined ? 0 : httpPort;
}

function refuseTwoSources({ importSource, configFile, configJson }: Settings, choice: SettingChoice): void {
  const config = configJson?.name ?? (configFile === undefined ? undefined : choice.origin('config'));
  if (importSource === undefined || config === undefined) return;
  const text = `${choice.origin('import')} and ${config} both say which queues and topics there are: give one of them`;
  throw new JitneyError('bad-option', text);
}

function refuseSamePorts(settings: Settings): void {
  const names = ['port', 'httpPort', 'tlsPort', 'httpsPort'] as const;
  names.forEach((name, index) => {
    const port = settings[name];
    const other = names.slice(0, index).find((earlier) => settings[earlier] === port);
    if (other === undefined || port === 0 || port === 'off') return;
    const text = `${flagName(other)} and ${flagName(name)} must differ, and both are ${port}`;
    throw new JitneyError('bad-option', text);
  });
}

/** Refuses empty flags, which a script passes when one of its variables is not set. An empty environment variable counts as missing. */
function refuseEmpty(flags: Flags): void {
  for (const [option, given] of Object.entries(flags)) {
    if (given !== '') continue;
    throw new JitneyError('bad-option', `${flagName(option)} is empty: give it a value or leave it out`);
  }
}

function chooseData(choice: SettingChoice): string | undefined {
  const { flags } = choice;
  if (flags.data !== undefined && flags.memory === true) {
    throw new JitneyError('bad-option', '--data keeps the messages and --memory does not: give one of them');
  }
  if (flags.memory === true) return undefined;
  // Both variables may be set: the image sets JITNEY_MEMORY, and its user JITNEY_DATA, which wins.
  const isNamed = choice.origin('data') !== undefined;
  return !isNamed && choice.read('memory') ? undefined : resolve(choice.read('data'));
}

/** The variable that holds a config; undefined when a file is named or no variable is set. */
function chooseConfigJson({ flags, environment }: SettingChoice): Variable | undefined {
  const json = variableFor('configJson', environment);
  if (json === undefined || flags.config !== undefined) return undefined;
  const file = variableFor('config', environment);
  if (file === undefined) return json;
  // The name is common, so the variable may be meant for another program.
  if (json.name === 'CONFIG_JSON') return undefined;
  const text = `${file.name} names a config file and ${json.name} holds a config: give one of them`;
  throw new JitneyError('bad-variable', text);
}

/** Warns when a file variable hides CONFIG_JSON. A flag hides it without a warning, as flags always win. */
function warnUnusedConfigJson({ flags, environment }: SettingChoice): string[] {
  if (flags.config !== undefined || variableFor('configJson', environment)?.name !== 'CONFIG_JSON') return [];
  const file = variableFor('config', environment);
  return file === undefined ? [] : [`The variable CONFIG_JSON is not used, because ${file.name} is set.`];
}
