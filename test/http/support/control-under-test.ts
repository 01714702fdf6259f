// The control interface without a socket: each answer is checked by its schema before a test reads it.

import type { z } from 'zod';
import { brokerOptions } from '../../../src/config/part-options.js';
import type { Engine } from '../../../src/engine/engine.js';
import { createApp } from '../../../src/http/app.js';
import { errorSchema } from '../../../src/http/control/control-schemas.js';
import type { ControlContext } from '../../../src/http/http-context.js';
import { Searches } from '../../../src/inspect/searches.js';
import {
  type EmulatorUnderTest,
  openEmulatorUnderTest,
  type UnderTestOptions,
} from '../../support/emulator-under-test.js';
import type { VirtualClock } from '../../support/virtual-clock.js';
import { contextUnderTest } from './http-context.js';

export const BASE = 'http://localhost:5300/$jitney/v1/';
export const JSON_TYPE = { 'content-type': 'application/json' };

export const CONTROL: ControlContext = {
  version: '1.2.3',
  searches: new Searches(),
  ports: () => ({ port: 5672, httpPort: 5300, tlsPort: undefined, httpsPort: undefined }),
  settings: { tier: 'standard' },
  settingOrigins: { tier: '--tier' },
};

export type ControlUnderTest = Pick<EmulatorUnderTest, 'connect' | 'connections' | 'activity'> & {
  readonly engine: Engine;
  readonly clock: VirtualClock;
  readonly faults: readonly unknown[];
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>>;
  post<Schema extends z.ZodType>(path: string, body: unknown, schema: Schema): Promise<z.infer<Schema>>;
  /** The status and the error of a refused request. */
  refused(
    path: string,
    init?: RequestInit,
  ): Promise<{ status: number } & z.infer<typeof errorSchema>['error']>;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  stop(): Promise<void>;
};

export async function openControlUnderTest(
  options: Partial<UnderTestOptions> = {},
  control: ControlContext | undefined = CONTROL,
): Promise<ControlUnderTest> {
  const under = await openEmulatorUnderTest({ queues: [], ...options });
  const { limits } = brokerOptions(options);
  const { connect, connections, activity } = under;
  const { context, faults } = contextUnderTest(under.engine, { control, limits });
  const handle = createApp(context);
  const fetch = (path: string, init?: RequestInit) =>
    handle(new Request(new URL(path.startsWith('/') ? path : BASE + path, BASE), init));
  const read = async <Schema extends z.ZodType>(response: Response, schema: Schema) => {
    const json: unknown = await response.json();
    if (response.status !== 200) throw new Error(`answered ${response.status}: ${JSON.stringify(json)}`);
    return schema.parse(json);
  };
  return {
    engine: under.engine,
    clock: under.clock,
    faults,
    fetch,
    connect,
    connections,
    activity,
    get: async (path, schema) => read(await fetch(path), schema),
    post: async (path, body, schema) => {
      const init = { method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) };
      return read(await fetch(path, init), schema);
    },
    async refused(path, init) {
      const response = await fetch(path, init);
      return { status: response.status, ...errorSchema.parse(await response.json()).error };
    },
    stop: () => under.stop(),
  };
}
