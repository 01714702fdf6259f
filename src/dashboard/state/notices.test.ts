import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ApiError } from './api.js';
import { Notices } from './notices.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('a notice goes by itself, and a later one has its full time', () => {
  const notices = new Notices();
  notices.show('Purged 3 messages.');
  vi.advanceTimersByTime(7000);
  notices.show('Sent as #21.', { text: '#21', href: '#/e/orders/active/21' });
  vi.advanceTimersByTime(7000);
  expect(notices.current.value).toMatchObject({ text: 'Sent as #21.', act: { text: '#21' } });
  vi.advanceTimersByTime(1000);
  expect(notices.current.value).toBeUndefined();
});

it('an error stays, with its remedy, until it is dismissed', async () => {
  const notices = new Notices();
  const error = new ApiError(404, { code: 'x', message: "'order' is not there.", hint: 'Meant: orders?' });
  expect(await notices.attempt(() => Promise.reject(error))).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(notices.current.value).toMatchObject({
    text: "'order' is not there. Meant: orders?",
    isError: true,
  });
  notices.dismiss();
  expect(notices.current.value).toBeUndefined();
});

it('a request that the page gave up itself is no error', async () => {
  const notices = new Notices();
  await notices.attempt(() => Promise.reject(new DOMException('gone', 'AbortError')));
  expect(notices.current.value).toBeUndefined();
});
