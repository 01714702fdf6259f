// The SDK's administration client on plain HTTP, which only its preview speaks to an emulator.

import { ServiceBusAdministrationClient } from 'service-bus-beta';

/** With the connection string of everything else: one port takes both. */
export function administer(connectionString: string): ServiceBusAdministrationClient {
  // A refusal is to be seen at once, not after three more attempts.
  return new ServiceBusAdministrationClient(connectionString, { retryOptions: { maxRetries: 0 } });
}

/** The code of the error that a call must fail with. */
export async function codeOf(call: Promise<unknown>): Promise<unknown> {
  const error = await call.then(
    () => new Error('it did not fail'),
    (failure: unknown) => failure,
  );
  return error instanceof Error && 'code' in error ? error.code : error;
}
