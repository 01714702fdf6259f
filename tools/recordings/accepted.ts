// Differences from the service's recorded answers that stay, each with its reason.

import type { Accepted } from './compare.js';

export const ACCEPTED: readonly Accepted[] = [];
