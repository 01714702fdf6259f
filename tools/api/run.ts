// `npm run api`: how the public types differ from the accepted ones; with `--accept`, makes them the accepted ones.

import { readFileSync, writeFileSync } from 'node:fs';
import { ACCEPTED, differencesOf, publicTypes } from './public-types.js';

const present = await publicTypes();
const differences = differencesOf(readFileSync(ACCEPTED, 'utf8'), present);
console.log(differences.join('\n\n') || 'The public types are the accepted ones.');
if (process.argv.includes('--accept')) writeFileSync(ACCEPTED, present);
else if (differences.length > 0) process.exitCode = 1;
