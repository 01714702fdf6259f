// A queue in memory on rhea's own server objects, used as its documentation shows: what the null broker is measured against.

import rhea, { type EventContext, type Message, type Sender } from 'rhea';
import { sayUp } from './up.js';

const TAG_BYTES = 16;
/** The SDK reads a lock that never ends. */
const LOCKED_UNTIL = 4_102_444_800_000;

// Its typings leave out what its own links use.
type Outcomes = { accepted(): { described(): unknown } };
const accepted = (rhea.message as unknown as Outcomes).accepted().described();

const container = rhea.create_container();
const queue: Message[] = [];
const receivers = new Set<Sender>();
let head = 0;
let tagCount = 0;

container.on('sender_open', ({ sender }: EventContext) => {
  if (sender === undefined) return;
  const { address } = sender.source;
  sender.set_source({ address });
  if (address !== '$cbs') receivers.add(sender);
});
container.on('receiver_open', ({ receiver }: EventContext) => {
  receiver?.set_target({ address: receiver.target.address });
});
container.on('message', (context: EventContext) => {
  const { message, receiver } = context;
  if (message === undefined) return;
  if (receiver?.target.address === '$cbs') {
    acceptToken(context, message);
    return;
  }
  queue.push(message);
  for (const sender of receivers) pump(sender);
});
container.on('sendable', ({ sender }: EventContext) => {
  if (sender !== undefined && receivers.has(sender)) pump(sender);
});
// The SDK waits for its word to be answered (rcv-settle-mode second) and then forgets; rhea would wait for it to say so.
container.on('accepted', ({ delivery }: EventContext) => {
  delivery?.update(true, accepted);
  Object.assign(delivery ?? {}, { remote_settled: true });
});
container.on('sender_draining', ({ sender }: EventContext) => sender?.set_drained(true));

const server = container.listen({ host: '127.0.0.1', port: 0 });
// An answer that waits for the next one would make rhea look worse than it is.
server.on('connection', (socket) => socket.setNoDelay(true));
sayUp(server);

function pump(sender: Sender): void {
  // rhea counts credit down only when it writes.
  for (
    let { credit } = sender as Sender & { credit: number };
    credit > 0 && head < queue.length && sender.sendable();
    credit--
  ) {
    const message = queue[head++] as Message;
    const tag = Buffer.alloc(TAG_BYTES);
    tag.writeUInt32BE(tagCount++, TAG_BYTES - 4);
    message.delivery_count = 0;
    message.message_annotations = {
      'x-opt-sequence-number': head,
      'x-opt-enqueued-time': new Date(),
      'x-opt-locked-until': new Date(LOCKED_UNTIL),
    };
    sender.send(message, tag);
  }
  if (head < queue.length) return;
  queue.length = 0;
  head = 0;
}

function acceptToken({ connection }: EventContext, request: Message): void {
  connection.each_sender((sender: Sender) => {
    if (sender.source.address !== '$cbs') return;
    sender.send({
      correlation_id: request.message_id as string,
      application_properties: { 'status-code': 202, 'status-description': 'Accepted' },
      body: '',
    });
  });
}
