// Certificates for names that only a client knows: of its local network or cluster, below `localhost`, or with the port it has dialled.

import type { ServerCertificate } from './certificate-leaf.js';
import { isCertificateName, withoutPort } from './certificate-names.js';
import { renewed } from './renewed.js';

/** More than anybody has; each costs a client that asks for it one signature. */
const MOST = 100;
/** No public name ends so: those of this machine, of it seen from a container, and of services in Kubernetes. */
const LOCAL_ENDS: readonly string[] = ['.localhost', '.docker.internal', '.svc', '.svc.cluster.local'];

export type ByNameOptions = {
  /** Those that the usual certificate is for. */
  readonly names: readonly string[];
  readonly make: (names: readonly string[]) => Promise<ServerCertificate>;
  readonly isOver: (made: ServerCertificate) => boolean;
};

/** Gives undefined where the usual certificate will do, or nothing better can be had. */
export function certificatesByName({ names, make, isOver }: ByNameOptions) {
  const byName = new Map<string, () => Promise<ServerCertificate>>();
  return async (servername: string): Promise<ServerCertificate | undefined> => {
    const name = servername.toLowerCase();
    if (names.includes(name) || !isCertificateName(name)) return undefined;
    // Go's SDK asks for `localhost:5672` and looks for it in the certificate, port and all. The port may be another one than ours,
    // such as that of a container.
    const host = withoutPort(name);
    if (!isLocal(host) && (host === name || !isAmong(names, host))) return undefined;
    let get = byName.get(name);
    if (get === undefined) {
      get = renewed(() => make([...new Set([host, name])]), isOver);
      byName.set(name, get);
      const [oldest] = byName.keys();
      if (byName.size > MOST && oldest !== undefined) byName.delete(oldest);
    }
    return get();
  };
}

function isAmong(names: readonly string[], host: string): boolean {
  return names.includes(host) || names.includes(host.replace(/^[^.]+/, '*'));
}

/** Clients accept no `*.localhost` or `*.svc`, a star for one label alone, and none at all for a name without a dot. */
function isLocal(name: string): boolean {
  if (!name.includes('.')) return true;
  return !name.startsWith('*') && LOCAL_ENDS.some((end) => name.endsWith(end));
}
