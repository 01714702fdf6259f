// The ends of a delivery, its lock, and the dead-letter queue.
package scenarios;

import com.azure.core.amqp.exception.AmqpErrorCondition;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverAsyncClient;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.models.AbandonOptions;
import com.azure.messaging.servicebus.models.DeadLetterOptions;
import com.azure.messaging.servicebus.models.ServiceBusMessageState;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

final class Settlement {
    private Settlement() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("peek-lock-complete", Settlement::complete);
        scenarios.put("abandon-count", Settlement::abandon);
        scenarios.put("lock-expiry", Settlement::lockExpiry);
        scenarios.put("renew-lock", Settlement::renewLock);
        scenarios.put("dead-letter", Settlement::deadLetter);
        scenarios.put("max-delivery", Settlement::maxDelivery);
        scenarios.put("defer", Settlement::defer);
        scenarios.put("settle-through-management", Settlement::settleThroughManagement);
        scenarios.put("outcome-after-detach", Settlement::outcomeAfterDetach);
    }

    private static void complete() {
        String id = Bus.send("plain", "complete me");
        try (ServiceBusReceiverClient first = Bus.receiver("plain");
                ServiceBusReceiverClient second = Bus.receiver("plain")) {
            ServiceBusReceivedMessage message = Bus.take(first, id);
            Bus.expectGone(second, id);
            first.complete(message);
            Bus.expectGone(second, id);
        }
    }

    private static void abandon() {
        String id = Bus.send("plain", "abandon me");
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            ServiceBusReceivedMessage first = Bus.take(receiver, id);
            Expect.equal("delivery count at first", 0L, first.getDeliveryCount());
            receiver.abandon(first, new AbandonOptions().setPropertiesToModify(Map.of("attempt", 1)));
            ServiceBusReceivedMessage second = Bus.take(receiver, id);
            Expect.equal("delivery count when abandoned", 1L, second.getDeliveryCount());
            Expect.equal("modified property", 1, second.getApplicationProperties().get("attempt"));
            receiver.complete(second);
        }
    }

    static ServiceBusReceiverClient withoutRenewal(ServiceBusClientBuilder builder, String queue) {
        return builder.receiver().queueName(queue).disableAutoComplete()
                .maxAutoLockRenewDuration(Duration.ZERO).buildClient();
    }

    private static void lockExpiry() throws InterruptedException {
        String id = Bus.send("short", "let it lapse");
        try (ServiceBusReceiverClient receiver = withoutRenewal(Bus.builder(), "short")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            Thread.sleep(2_500);
            Bus.expectFailure(AmqpErrorCondition.MESSAGE_LOCK_LOST, "completing after the lock",
                    () -> receiver.complete(message));
            ServiceBusReceivedMessage again = Bus.take(receiver, id);
            Expect.equal("delivery count", 1L, again.getDeliveryCount());
            receiver.complete(again);
        }
    }

    private static void renewLock() throws InterruptedException {
        String id = Bus.send("short", "hold me");
        try (ServiceBusReceiverClient receiver = withoutRenewal(Bus.builder(), "short");
                ServiceBusReceiverClient other = Bus.receiver("short")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            for (int round = 0; round < 2; round += 1) {
                Thread.sleep(1_200);
                OffsetDateTime until = receiver.renewMessageLock(message);
                Expect.that(until.isAfter(OffsetDateTime.now().plusSeconds(1)),
                        "the lock was not extended: " + until);
            }
            Bus.expectGone(other, id);
            receiver.complete(message);
        }
    }

    private static void deadLetter() {
        String id = Bus.send("plain", "bad");
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            receiver.deadLetter(Bus.take(receiver, id), new DeadLetterOptions()
                    .setDeadLetterReason("unreadable").setDeadLetterErrorDescription("line 1")
                    .setPropertiesToModify(Map.of("seen-by", "java")));
        }
        try (ServiceBusReceiverClient receiver = Bus.deadLetterReceiver("plain")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            Expect.equal("reason", "unreadable", message.getDeadLetterReason());
            Expect.equal("description", "line 1", message.getDeadLetterErrorDescription());
            Expect.equal("modified property", "java", message.getApplicationProperties().get("seen-by"));
            receiver.complete(message);
        }
    }

    private static void maxDelivery() {
        String id = Bus.send("plain", "poison");
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            for (long count = 0; count < 3; count += 1) {
                ServiceBusReceivedMessage message = Bus.take(receiver, id);
                Expect.equal("delivery count", count, message.getDeliveryCount());
                receiver.abandon(message);
            }
            Bus.expectGone(receiver, id);
        }
        try (ServiceBusReceiverClient receiver = Bus.deadLetterReceiver("plain")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            Expect.equal("reason", "MaxDeliveryCountExceeded", message.getDeadLetterReason());
            receiver.complete(message);
        }
    }

    private static void defer() {
        String id = Bus.send("plain", "later");
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            ServiceBusReceivedMessage message = Bus.take(receiver, id);
            receiver.defer(message);
            Bus.expectGone(receiver, id);
            ServiceBusReceivedMessage deferred = receiver.receiveDeferredMessage(message.getSequenceNumber());
            Expect.equal("id", id, deferred.getMessageId());
            Expect.equal("state", ServiceBusMessageState.DEFERRED, deferred.getState());
            receiver.complete(deferred);
            // The library makes an empty answer of this error alone: there is no such message.
            List<Long> numbers = List.of(message.getSequenceNumber());
            Expect.equal("messages left", 0L, receiver.receiveDeferredMessageBatch(numbers).stream().count());
        }
    }

    private static void settleThroughManagement() {
        String id = Bus.send("plain", "held by a receiver that is gone");
        ServiceBusReceivedMessage message;
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            message = Bus.take(receiver, id);
        }
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            receiver.complete(message);
            Bus.expectGone(receiver, id);
        }
    }

    /**
     * {@code next()} and {@code take(n)} close their link as soon as they have their messages. The library then settles without
     * a state what it has delivered.
     */
    private static void outcomeAfterDetach() {
        try (ServiceBusReceiverClient all = Bus.receiver("plain")) {
            Bus.drain(all);
        }
        try (ServiceBusReceiverAsyncClient receiver =
                Bus.builder().receiver().queueName("plain").disableAutoComplete().buildAsyncClient()) {
            String id = Bus.send("plain", "the next one");
            ServiceBusReceivedMessage next = receiver.receiveMessages().next().block(Bus.PATIENCE);
            Expect.equal("id", id, next.getMessageId());
            renewAndComplete(receiver, List.of(next));

            List<String> ids = List.of(Bus.send("plain", "first"), Bus.send("plain", "second"));
            List<ServiceBusReceivedMessage> taken =
                    receiver.receiveMessages().take(ids.size()).collectList().block(Bus.PATIENCE);
            Expect.equal("ids", ids, taken.stream().map(ServiceBusReceivedMessage::getMessageId).toList());
            renewAndComplete(receiver, taken);
        }
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            Expect.equal("messages left", 0, Bus.drain(receiver).size());
        }
    }

    private static void renewAndComplete(
            ServiceBusReceiverAsyncClient receiver, List<ServiceBusReceivedMessage> messages) {
        for (ServiceBusReceivedMessage message : messages) {
            OffsetDateTime until = receiver.renewMessageLock(message).block(Bus.PATIENCE);
            Expect.that(until.isAfter(OffsetDateTime.now()), "the lock was not extended: " + until);
            receiver.complete(message).block(Bus.PATIENCE);
        }
    }
}
