// The Compose file of the documentation starts the image as the Dockerfile has it: its ports, its health check, and where it reads entities.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const dockerfile = read('Dockerfile');
const page = read('docs/from-the-emulator.md');
const { services, networks } = parse(read('docs/docker-compose.yml'));

test('the only service of the Compose file is the image, with the ports that it exposes and its health check', () => {
  expect(Object.keys(services)).toEqual(['emulator']);
  const { image, ports, healthcheck, volumes, networks: joined } = services.emulator;
  expect(image).toBe('ghcr.io/your-name/jitney:latest');
  expect(page).toContain('ghcr.io/your-name/jitney');
  const exposed = /^EXPOSE (.*)$/m.exec(dockerfile)?.[1]?.split(' ') ?? [];
  for (const port of ports) {
    const [outside, inside] = port.split(':');
    expect(exposed).toContain(inside);
    expect(outside).toBe(inside);
  }
  expect(dockerfile).toContain(`CMD ${JSON.stringify(healthcheck.test.slice(1)).replaceAll(',', ', ')}`);
  expect(volumes).toEqual([expect.stringMatching(/:\/ServiceBus_Emulator\/ConfigFiles\/Config\.json:ro$/)]);
  expect(dockerfile).toContain('/ServiceBus_Emulator/ConfigFiles');
  expect(Object.keys(joined)).toEqual(Object.keys(networks));
});

test('the page shows the services of the Compose file as the lines that are added or stay', () => {
  const diff = /```diff\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const after = diff
    .split('\n')
    .filter((line) => !line.startsWith('-'))
    .map((line) => line.slice(1))
    .join('\n');
  const { emulator } = parse(after).services;
  for (const key of ['image', 'container_name', 'ports', 'volumes', 'networks']) {
    expect(emulator[key], key).toEqual(services.emulator[key]);
  }
  expect(Object.keys(parse(after).services)).toEqual(['emulator']);
});
