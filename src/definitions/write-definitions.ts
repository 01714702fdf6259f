// Writes a namespace in one of the formats.

import type { Entities } from '../config/configured-entities.js';
import type { ExportFormat, WrittenDefinitions } from './definitions.js';
import { writeArm } from './write-arm.js';
import { writeBicep } from './write-bicep.js';
import { writeConfig } from './write-config.js';
import { writeTerraform } from './write-terraform.js';

const WRITERS: Readonly<Record<ExportFormat, (entities: Entities) => WrittenDefinitions>> = {
  config: writeConfig,
  bicep: writeBicep,
  terraform: writeTerraform,
  arm: writeArm,
};

export function writeDefinitions(entities: Entities, format: ExportFormat): WrittenDefinitions {
  return WRITERS[format](entities);
}
