// Which Config.json counts when neither flag nor variable gives one: the mounted one, or the default.

import { DEFAULT_CONFIG_FILE } from '../config/configured-entities.js';
import type { Settings } from '../config/settings.js';

/** Where the official emulator's image has its config file, and tools put theirs. */
export const MOUNTED_CONFIG_FILE = '/ServiceBus_Emulator/ConfigFiles/Config.json';

/** The default one only when no entity is named either. */
export function withConfigFile(settings: Settings, mounted: string | undefined): Settings {
  if (settings.configJson !== undefined) return settings;
  const isNamed = settings.queues.length > 0 || settings.topics.length > 0;
  const otherwise = isNamed ? undefined : DEFAULT_CONFIG_FILE;
  return { ...settings, configFile: settings.configFile ?? mounted ?? otherwise };
}
