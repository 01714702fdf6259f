// The OpenAPI document of the control interface: it is complete, and its schemas hold what is answered.

import { expect, it } from 'vitest';
import { z } from 'zod';
import { startEmulator } from '../../../src/emulator.js';
import { openControlUnderTest } from '../support/control-under-test.js';

const documentSchema = z.object({
  openapi: z.literal('3.1.0'),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        responses: z.unknown(),
        parameters: z.array(z.unknown()),
        requestBody: z.unknown().optional(),
      }),
    ),
  ),
});

it('every call of the document is answered, and no other one', async () => {
  const control = await openControlUnderTest({ queues: ['orders'] });
  const { paths, components } = await control.get('openapi.json', documentSchema);
  const allowed: Record<string, readonly string[]> = {};
  for (const path of Object.keys(paths)) {
    const { headers, status } = await control.fetch(path.slice(1).replace('{id}', '1'), {
      method: 'BREW',
      headers: { 'content-type': 'application/json' },
    });
    expect(status).toBe(405);
    allowed[path] = (headers.get('allow') ?? '').toLowerCase().split(', ').sort();
  }
  expect(allowed).toEqual(
    Object.fromEntries(Object.entries(paths).map(([path, calls]) => [path, Object.keys(calls).sort()])),
  );
  expect(Object.keys(paths)).toHaveLength(43);
  expect(paths['/messages']?.post).toMatchObject({
    parameters: [{ name: 'entity', in: 'query', required: true }],
    requestBody: { required: true },
  });
  const referred = JSON.stringify({ paths, components }).match(/"#\/[^"]*"/g) ?? [];
  const defined = Object.keys(components.schemas).map((name) => `"#/components/schemas/${name}"`);
  expect(defined).toContain('"#/components/schemas/TypedValue"');
  for (const reference of referred) expect(defined).toContain(reference);
  expect(control.faults).toEqual([]);
  await control.stop();
});

it('a body is required where an empty one is refused, and only there', async () => {
  await using emulator = await startEmulator({ queues: ['orders'], topics: ['events'], tls: 'off' });
  const base = `http://localhost:${emulator.port}/$jitney/v1`;
  const document = await fetch(`${base}/openapi.json`);
  const { paths } = documentSchema.parse(await document.json());
  const posts = Object.entries(paths).flatMap(([path, { post }]) =>
    post === undefined ? [] : [{ path, ...post }],
  );
  expect(posts).toHaveLength(28);
  for (const { path, parameters, requestBody } of posts) {
    const entity = path.startsWith('/rules') ? 'events' : 'orders';
    const query = parameters.length > 0 ? `?entity=${entity}` : '';
    const headers = { 'content-type': 'application/json' };
    const { status } = await fetch(`${base}${path}${query}`, { method: 'POST', headers, body: '' });
    expect([path, status, requestBody]).toEqual([
      ...[path, expect.toBeOneOf([200, 400])],
      expect.objectContaining({ required: status === 400 }),
    ]);
  }
});
