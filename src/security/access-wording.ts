// What a client is told that lacks a right, in the words of the service that people search for.

import type { AccessRight } from '../broker/entity/authorization-rule.js';
import { pathKey } from './resource-path.js';

/** Of a path that a client sent, as much as is told. */
const MAX_PATH_LENGTH = 500;

export function lackingRights(rights: readonly AccessRight[], host: string, path: string): string {
  const resource = `sb://${host.toLowerCase()}/${pathKey(path)}`.slice(0, MAX_PATH_LENGTH);
  return `Unauthorized access. '${rights.join(',')}' claim(s) are required to perform this operation. Resource: '${resource}'.`;
}
