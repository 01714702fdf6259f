// The options of the emulator that a command line asks for; its entities are put beside them.

import type { EmulatorOptions } from '../config/options.js';
import type { Settings } from '../config/settings.js';

export function emulatorOptions(settings: Settings): EmulatorOptions {
  const { dataDirectory, authorizationTimeoutMs } = settings;
  return {
    host: settings.host,
    port: settings.port,
    httpPort: settings.httpPort,
    ...tlsOptions(settings),
    auth: settings.auth,
    tokenEndpoint: settings.tokenEndpoint,
    ...(settings.policies === undefined ? {} : { policies: settings.policies }),
    allowedOrigins: settings.allowedOrigins,
    allowedHosts: settings.allowedHosts,
    reset: settings.reset,
    durability: settings.durability,
    tier: settings.tier,
    limits: settings.limits,
    expirySweep: settings.expirySweep,
    releaseLocksOnDetach: settings.releaseLocksOnDetach,
    expireWholeSession: settings.expireWholeSession,
    idleTimeouts: settings.idleTimeouts,
    ...(dataDirectory === undefined ? {} : { dataDirectory }),
    ...(authorizationTimeoutMs === undefined ? {} : { authorizationTimeoutMs }),
  };
}

function tlsOptions(settings: Settings): EmulatorOptions {
  const { tls, tlsPort, tlsPortFrom, httpsPort, certHosts, certDirectory, cert, key } = settings;
  // A port that nobody has asked for must not be what a start fails of.
  const isUnasked = tlsPortFrom === undefined && tlsPort !== 'off';
  return {
    tls,
    tlsPort: isUnasked ? 'ifFree' : tlsPort,
    httpsPort,
    certHosts,
    ...(certDirectory === undefined ? {} : { certificateDirectory: certDirectory }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}
