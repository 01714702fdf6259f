// The calls that take a snapshot and restore one. It is sent as bytes, not as JSON.

import { MAX_SNAPSHOT_BYTES } from '../../broker/contract/snapshot.js';
import { isOfKind } from '../../jitney-error.js';
import { RequestProblem } from '../error-response.js';
import type { RoutedCall, SnapshotsPort } from '../http-context.js';
import { readBody } from '../request-body.js';
import { noQuery, readSearch } from './control-requests.js';
import type { RestoredAnswer } from './control-schemas.js';

/** The rows of 100,000 messages have about 15 MB. */
const MAX_BODY_BYTES = 2 * MAX_SNAPSHOT_BYTES;

export const SNAPSHOT_CALLS = {
  async getSnapshot(call: RoutedCall): Promise<Response> {
    readSearch(call, noQuery);
    const bytes = await snapshotsOf(call).take();
    await call.share.take(bytes.length);
    const headers = { 'content-type': 'application/octet-stream', 'cache-control': 'no-store' };
    return new Response(Buffer.from(bytes), { headers });
  },

  async restoreSnapshot(call: RoutedCall): Promise<RestoredAnswer> {
    readSearch(call, noQuery);
    const bytes = await readBody(call, { maxBytes: MAX_BODY_BYTES, tooLarge });
    try {
      return { count: await snapshotsOf(call).restore(bytes) };
    } catch (error) {
      if (isOfKind(error, 'bad-snapshot')) throw new RequestProblem(400, error.message);
      throw error;
    }
  },
} as const;

function snapshotsOf({ context }: RoutedCall): SnapshotsPort {
  const { snapshots } = context.control ?? {};
  if (snapshots === undefined) throw new RequestProblem(404, 'This emulator takes no snapshots.');
  return snapshots;
}

function tooLarge(size: string, maxBytes: number): RequestProblem {
  return new RequestProblem(
    413,
    `The snapshot (size: ${size}) is larger than the ${maxBytes} bytes that one may have.`,
  );
}
