// Which Config.json counts when neither flag nor variable gives one: the mounted one, or the default.

import { existsSync } from 'node:fs';
import { DEFAULT_CONFIG_FILE } from '../config/configured-entities.js';
import type { Settings } from '../config/settings.js';

/** Where the official emulator's image has its config file, and tools put theirs. */
export const MOUNTED_CONFIG_FILE = '/ServiceBus_Emulator/ConfigFiles/Config.json';

/** The mounted one where it exists, else the default one when no entity is named either. */
export function withConfigFile(settings: Settings, mounted: string): Settings {
  if (settings.configJson !== undefined || settings.configFile !== undefined) return settings;
  if (existsSync(mounted)) return { ...settings, configFile: mounted };
  const isNamed = settings.queues.length > 0 || settings.topics.length > 0;
  return { ...settings, configFile: isNamed ? undefined : DEFAULT_CONFIG_FILE };
}
