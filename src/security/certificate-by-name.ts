// Certificates for names that only a client knows: of its local network, such as that of a container, or below `localhost`.

import type { ServerCertificate } from './certificate-leaf.js';
import { isCertificateName } from './certificate-names.js';
import { renewed } from './renewed.js';

/** More than anybody has; each costs a client that asks for it one signature. */
const MOST = 100;

export type ByNameOptions = {
  /** Those that the usual certificate is for. */
  readonly names: readonly string[];
  readonly make: (name: string) => Promise<ServerCertificate>;
  readonly isOver: (made: ServerCertificate) => boolean;
};

/** Gives undefined where the usual certificate will do, or nothing better can be had. */
export function certificatesByName({ names, make, isOver }: ByNameOptions) {
  const byName = new Map<string, () => Promise<ServerCertificate>>();
  return async (servername: string): Promise<ServerCertificate | undefined> => {
    const name = servername.toLowerCase();
    if (names.includes(name) || !isLocal(name) || !isCertificateName(name)) return undefined;
    let get = byName.get(name);
    if (get === undefined) {
      get = renewed(() => make(name), isOver);
      byName.set(name, get);
      const [oldest] = byName.keys();
      if (byName.size > MOST && oldest !== undefined) byName.delete(oldest);
    }
    return get();
  };
}

/** Clients accept no `*.localhost`, and no star at all for a name without a dot. */
function isLocal(name: string): boolean {
  return !name.includes('.') || (name.endsWith('.localhost') && !name.startsWith('*'));
}
