// Sending and what arrives: contents, batches, duplicates, time to live, receive and delete, and refusals.
package scenarios;

import com.azure.core.amqp.exception.AmqpErrorCondition;
import com.azure.core.amqp.models.AmqpAnnotatedMessage;
import com.azure.core.util.BinaryData;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusMessageBatch;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import java.net.URI;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

final class Transfers {
    private Transfers() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("send-receive", Transfers::sendAndReceive);
        scenarios.put("batch", Transfers::batch);
        scenarios.put("receive-and-delete", Transfers::receiveAndDelete);
        scenarios.put("duplicate", Transfers::duplicate);
        scenarios.put("time-to-live", Transfers::timeToLive);
        scenarios.put("send-back", Transfers::sendBack);
        scenarios.put("errors", Transfers::errors);
    }

    /** One of each type that the library sends. */
    private static Map<String, Object> typedProperties() {
        return Map.ofEntries(
                Map.entry("boolean", true),
                Map.entry("byte", (byte) -7),
                Map.entry("short", (short) -700),
                Map.entry("int", 70_000),
                Map.entry("long", 1L << 60),
                Map.entry("float", 1.5f),
                Map.entry("double", 2.25),
                Map.entry("char", 'ä'),
                Map.entry("string", "grüße"),
                Map.entry("uuid", UUID.fromString("6f5f9a63-3c1a-4b49-a9a8-3f4c9d5e0b11")),
                Map.entry("time", OffsetDateTime.of(2026, 1, 2, 3, 4, 5, 600_000_000, ZoneOffset.UTC)),
                Map.entry("duration", Duration.ofMillis(90_500)),
                Map.entry("uri", URI.create("https://example.com/a?b=c")));
    }

    private static void sendAndReceive() {
        byte[] body = {0, 1, 2, (byte) 0xff};
        ServiceBusMessage message = new ServiceBusMessage(BinaryData.fromBytes(body))
                .setMessageId(UUID.randomUUID().toString())
                .setSubject("subject").setContentType("application/octet-stream")
                .setCorrelationId("correlation").setReplyTo("answers").setReplyToSessionId("answer-session")
                .setTo("someone").setPartitionKey("partition").setTimeToLive(Duration.ofMinutes(5));
        message.getApplicationProperties().putAll(typedProperties());
        OffsetDateTime before = OffsetDateTime.now();
        Bus.send("plain", message);
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            ServiceBusReceivedMessage received = Bus.take(receiver, message.getMessageId());
            Expect.equal("body", body, received.getBody().toBytes());
            Expect.equal("subject", "subject", received.getSubject());
            Expect.equal("content type", "application/octet-stream", received.getContentType());
            Expect.equal("correlation id", "correlation", received.getCorrelationId());
            Expect.equal("reply to", "answers", received.getReplyTo());
            Expect.equal("reply to session id", "answer-session", received.getReplyToSessionId());
            Expect.equal("to", "someone", received.getTo());
            Expect.equal("partition key", "partition", received.getPartitionKey());
            Expect.equal("time to live", Duration.ofMinutes(5), received.getTimeToLive());
            Expect.equal("delivery count", 0L, received.getDeliveryCount());
            Expect.that(received.getSequenceNumber() > 0, "there is no sequence number");
            Expect.that(received.getEnqueuedTime().isAfter(before.minusSeconds(5)),
                    "the enqueued time is not now");
            Expect.that(received.getLockedUntil().isAfter(before), "the lock ends before it began");
            Map<String, Object> seen = received.getApplicationProperties();
            typedProperties().forEach((name, value) -> Expect.equal("property " + name, value, seen.get(name)));
            receiver.complete(received);
        }
    }

    private static void batch() {
        List<String> ids = new ArrayList<>();
        try (ServiceBusSenderClient sender = Bus.sender("plain")) {
            ServiceBusMessageBatch batch = sender.createMessageBatch();
            for (int number = 0; number < 20; number += 1) {
                ServiceBusMessage message = Bus.message("batch " + number);
                ids.add(message.getMessageId());
                Expect.that(batch.tryAddMessage(message), "message " + number + " does not fit a batch");
            }
            sender.sendMessages(batch);
        }
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            List<String> seen = Bus.drain(receiver, ids.size()).stream().map(ServiceBusReceivedMessage::getMessageId)
                    .filter(ids::contains).toList();
            Expect.equal("ids in their order", ids, seen);
        }
    }

    private static void receiveAndDelete() {
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            Bus.drain(receiver);
        }
        String id = Bus.send("plain", "taken at once");
        try (ServiceBusReceiverClient receiver = Bus.deletingReceiver("plain")) {
            List<ServiceBusReceivedMessage> messages = receiver.receiveMessages(1, Bus.PATIENCE).stream().toList();
            Expect.equal("count", 1, messages.size());
            Expect.equal("id", id, messages.get(0).getMessageId());
            Expect.equal("body", "taken at once", messages.get(0).getBody().toString());
        }
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            Expect.equal("messages left", 0, Bus.drain(receiver).size());
        }
    }

    private static void duplicate() {
        ServiceBusMessage message = Bus.message("once");
        Bus.send("duplicates", message);
        Bus.send("duplicates", message);
        String other = Bus.send("duplicates", "another");
        try (ServiceBusReceiverClient receiver = Bus.receiver("duplicates")) {
            List<String> ids = Bus.drain(receiver, 2).stream().map(ServiceBusReceivedMessage::getMessageId).toList();
            Expect.equal("ids", List.of(message.getMessageId(), other), ids);
        }
    }

    private static void timeToLive() throws InterruptedException {
        ServiceBusMessage message = Bus.message("short-lived").setTimeToLive(Duration.ofSeconds(1));
        Bus.send("plain", message);
        Thread.sleep(1_500);
        try (ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            Bus.expectGone(receiver, message.getMessageId());
        }
    }

    /** In a queue that no later scenario uses: a footer that cannot be read ends each receiver that it comes to. */
    private static void sendBack() {
        OffsetDateTime created = OffsetDateTime.of(2020, 1, 1, 0, 0, 0, 0, ZoneOffset.UTC);
        ServiceBusMessage message = Bus.message("there and back").setSubject("journey");
        AmqpAnnotatedMessage raw = message.getRawAmqpMessage();
        raw.getHeader().setDurable(true).setPriority((short) 7);
        raw.getProperties().setCreationTime(created).setAbsoluteExpiryTime(created.plusDays(1));
        raw.getFooter().put("footer", "kept");
        raw.getDeliveryAnnotations().put("sender-note", "kept");
        message.getApplicationProperties().put("round", 1);
        Bus.send("archive", message);
        try (ServiceBusReceiverClient receiver = Bus.receiver("archive")) {
            ServiceBusReceivedMessage first = Bus.take(receiver, message.getMessageId());
            Bus.send("archive", new ServiceBusMessage(first));
            receiver.complete(first);
            ServiceBusReceivedMessage second = Bus.take(receiver, message.getMessageId());
            Expect.that(second.getSequenceNumber() > first.getSequenceNumber(),
                    "it is the same message once more");
            Expect.that(!second.getLockToken().equals(first.getLockToken()), "it has the old lock token");
            for (ServiceBusReceivedMessage received : List.of(first, second)) {
                AmqpAnnotatedMessage seen = received.getRawAmqpMessage();
                Expect.equal("body", "there and back", received.getBody().toString());
                Expect.equal("subject", "journey", received.getSubject());
                Expect.equal("property", 1, received.getApplicationProperties().get("round"));
                Expect.equal("priority", (short) 7, seen.getHeader().getPriority());
                Expect.equal("footer", "kept", seen.getFooter().get("footer"));
                Expect.equal("delivery annotation", "kept", seen.getDeliveryAnnotations().get("sender-note"));
                Expect.equal("creation time", created.toInstant(),
                        seen.getProperties().getCreationTime().toInstant());
            }
            receiver.complete(second);
        }
    }

    private static void errors() {
        Bus.expectFailure(AmqpErrorCondition.NOT_FOUND, "sending to a missing queue",
                () -> Bus.send("missing", "lost"));
        Bus.expectFailure(AmqpErrorCondition.NOT_FOUND, "receiving from a missing queue",
                () -> receiveOne("missing"));
        Bus.expectFailure(AmqpErrorCondition.LINK_PAYLOAD_SIZE_EXCEEDED, "sending a message of 300 kB",
                () -> Bus.send("plain", "x".repeat(300_000)));
        Bus.expectFailure(AmqpErrorCondition.NOT_FOUND, "receiving from a topic", () -> receiveOne("events"));
        expectNotAllowed("sessions", "requires sessions");
    }

    /** The library makes of "not allowed" an exception of its own without a condition. */
    private static void expectNotAllowed(String entity, String text) {
        String call = "receiving from " + entity;
        Throwable error = Expect.failure(RuntimeException.class, call, () -> receiveOne(entity));
        while (error.getCause() != null) error = error.getCause();
        Expect.that(error instanceof UnsupportedOperationException, call + " failed otherwise: " + error);
        Expect.that(error.getMessage().contains(text), call + " failed with the text " + error.getMessage());
    }

    private static void receiveOne(String queue) {
        try (ServiceBusReceiverClient receiver = Bus.receiver(queue)) {
            receiver.receiveMessages(1, Bus.PATIENCE).stream().toList();
        }
    }
}
