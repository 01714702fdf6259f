// Writes the table of docs/entities.md and the types of properties in code. Run it after a change of the tables of properties.

import { readFileSync, writeFileSync } from 'node:fs';
import { buildGivenProperties } from './given-properties.js';
import { withPropertiesTable } from './properties-table.js';

const root = new URL('../../', import.meta.url);
const page = new URL('docs/entities.md', root);
writeFileSync(page, withPropertiesTable(readFileSync(page, 'utf8')));
writeFileSync(new URL('src/config/given-properties.ts', root), buildGivenProperties());
