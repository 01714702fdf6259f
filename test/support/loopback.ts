// The loopback addresses of the machine the tests run on: some containers have no IPv6.

import { networkInterfaces } from 'node:os';

export function loopbackAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const hasIPv6 = all.some(({ address }) => address === '::1');
  return hasIPv6 ? ['127.0.0.1', '::1'] : ['127.0.0.1'];
}
