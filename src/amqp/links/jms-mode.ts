// Which connections are JMS 2.0 connections, on which selectors hold.

import type { Open } from '../../codec/performatives.js';
import { booleanOf, entryOf } from '../../codec/read-value.js';

/** The property by which azure-servicebus-jms says that it connects to a Premium namespace. */
const IS_CLIENT_PROVIDER = 'com.microsoft:is-client-provider';

/** Whether it is one. */
export function isJms({ properties }: Open): boolean {
  return booleanOf(entryOf(properties, IS_CLIENT_PROVIDER)) === true;
}
