// Scheduled messages, and peeking at them and others.
package scenarios;

import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.models.ServiceBusMessageState;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

final class Scheduling {
    private Scheduling() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("schedule-cancel", Scheduling::cancel);
        scenarios.put("scheduled-arrives", Scheduling::arrive);
        scenarios.put("peek", Scheduling::peek);
    }

    private static void cancel() {
        ServiceBusMessage message = Bus.message("never");
        try (ServiceBusSenderClient sender = Bus.sender("plain");
                ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            long number = sender.scheduleMessage(message, OffsetDateTime.now().plusHours(1));
            ServiceBusReceivedMessage seen = receiver.peekMessage(number);
            Expect.equal("peeked id", message.getMessageId(), seen.getMessageId());
            Expect.equal("state", ServiceBusMessageState.SCHEDULED, seen.getState());
            sender.cancelScheduledMessage(number);
            boolean isThere = receiver.peekMessages(50, number).stream()
                    .anyMatch(one -> message.getMessageId().equals(one.getMessageId()));
            Expect.that(!isThere, "the cancelled message is still there");
        }
    }

    private static void arrive() {
        ServiceBusMessage message = Bus.message("soon");
        OffsetDateTime due = OffsetDateTime.now().plus(1_500, ChronoUnit.MILLIS).truncatedTo(ChronoUnit.MILLIS);
        try (ServiceBusSenderClient sender = Bus.sender("plain");
                ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            sender.scheduleMessage(message, due);
            Bus.expectGone(receiver, message.getMessageId());
            ServiceBusReceivedMessage received = Bus.take(receiver, message.getMessageId());
            Expect.that(!OffsetDateTime.now().isBefore(due), "it came before it was due");
            Expect.equal("scheduled time", due.toInstant(), received.getScheduledEnqueueTime().toInstant());
            Expect.equal("state of what had been scheduled", ServiceBusMessageState.SCHEDULED,
                    received.getState());
            receiver.complete(received);
        }
    }

    private static void peek() {
        List<ServiceBusMessage> messages = List.of(Bus.message("one"), Bus.message("two"));
        try (ServiceBusSenderClient sender = Bus.sender("plain");
                ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            sender.sendMessages(messages);
            List<String> ids = messages.stream().map(ServiceBusMessage::getMessageId).toList();
            List<ServiceBusReceivedMessage> seen = receiver.peekMessages(50, 1).stream()
                    .filter(message -> ids.contains(message.getMessageId())).toList();
            Expect.equal("peeked ids", ids, seen.stream().map(ServiceBusReceivedMessage::getMessageId).toList());
            Expect.equal("state", ServiceBusMessageState.ACTIVE, seen.get(0).getState());
            ServiceBusReceivedMessage second = receiver.peekMessage(seen.get(1).getSequenceNumber());
            Expect.equal("peeked from a number", ids.get(1), second.getMessageId());
            for (String id : ids) {
                ServiceBusReceivedMessage received = Bus.take(receiver, id);
                Expect.equal("delivery count after a peek", 0L, received.getDeliveryCount());
                receiver.complete(received);
            }
        }
    }
}
