// The question before an entity is deleted: what goes with it, and how much.

import { Confirm } from '../../parts/dialog.js';
import { change } from '../../state/api.js';
import { plural, spokenPath } from '../../state/format.js';
import { go } from '../../state/route.js';
import type { Listed } from '../../state/store.js';
import { useStore } from '../../state/use-store.js';

export function DeleteEntity({ entity, onClose }: { readonly entity: Listed; readonly onClose: () => void }) {
  const store = useStore();
  const { path, kind } = entity;
  const parts = kind === 'topic' ? [entity, ...entity.subscriptions] : [entity];
  const count = parts.reduce(
    (sum, { counts }) => sum + Object.values(counts).reduce((all, one) => all + one, 0),
    0,
  );
  const remove = () =>
    store.notices.attempt(async () => {
      await change('DELETE', 'entity', { entity: path });
      go({ screen: 'overview' });
      await store.refreshEntities();
      store.notices.show(`${spokenPath(path)} is deleted.`);
    });
  return (
    <Confirm title={`Delete ${spokenPath(path)}?`} act="Delete" onConfirm={remove} onClose={onClose}>
      The {kind}
      {kind === 'topic' ? `, its ${plural(entity.subscriptions.length, 'subscription')}` : ''} and{' '}
      <b>{plural(count, 'message')}</b> will be gone, dead letters too. Its links are detached. This cannot be
      undone.
    </Confirm>
  );
}
