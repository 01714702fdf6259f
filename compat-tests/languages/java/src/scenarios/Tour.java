// Each thing once, on entities that are empty: what `npm run measure -- record` records. It shows no behaviour of its own.
package scenarios;

import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusMessageBatch;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusRuleManagerClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.ServiceBusSessionReceiverClient;
import com.azure.messaging.servicebus.administration.models.CreateRuleOptions;
import com.azure.messaging.servicebus.administration.models.SqlRuleFilter;
import com.azure.messaging.servicebus.models.AbandonOptions;
import com.azure.messaging.servicebus.models.DeadLetterOptions;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;

final class Tour {
    private Tour() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("tour", Tour::tour);
    }

    private static void tour() {
        try (ServiceBusSenderClient sender = Bus.sender("plain");
                ServiceBusReceiverClient receiver = Bus.receiver("plain")) {
            messages(sender, receiver);
            settlement(sender, receiver);
            management(sender, receiver);
        }
        session("customer");
        topic();
        rules();
    }

    private static void messages(ServiceBusSenderClient sender, ServiceBusReceiverClient receiver) {
        ServiceBusMessage message = new ServiceBusMessage("hello").setMessageId("first").setSubject("greeting")
                .setContentType("text/plain").setTimeToLive(Duration.ofHours(1));
        message.getApplicationProperties().putAll(Map.of("text", "grün", "whole", 7L, "half", 1.5, "yes", true));
        sender.sendMessage(message);
        ServiceBusMessageBatch batch = sender.createMessageBatch();
        for (String id : List.of("second", "third")) {
            batch.tryAddMessage(new ServiceBusMessage("batched").setMessageId(id));
        }
        sender.sendMessages(batch);
        Expect.equal("peeked", 3L, receiver.peekMessages(5).stream().count());
        for (String id : List.of("first", "second", "third")) receiver.complete(Bus.take(receiver, id));
    }

    private static void settlement(ServiceBusSenderClient sender, ServiceBusReceiverClient receiver) {
        sender.sendMessage(new ServiceBusMessage("work").setMessageId("settled"));
        receiver.abandon(Bus.take(receiver, "settled"),
                new AbandonOptions().setPropertiesToModify(Map.of("attempt", 1)));
        receiver.deadLetter(Bus.take(receiver, "settled"), new DeadLetterOptions()
                .setDeadLetterReason("broken").setDeadLetterErrorDescription("it does not work"));
        try (ServiceBusReceiverClient dead = Bus.deadLetterReceiver("plain")) {
            dead.complete(Bus.take(dead, "settled"));
        }
    }

    private static void management(ServiceBusSenderClient sender, ServiceBusReceiverClient receiver) {
        sender.sendMessage(new ServiceBusMessage("later").setMessageId("deferred"));
        ServiceBusReceivedMessage message = Bus.take(receiver, "deferred");
        receiver.renewMessageLock(message);
        receiver.defer(message);
        receiver.complete(receiver.receiveDeferredMessage(message.getSequenceNumber()));
        ServiceBusMessage tomorrow = new ServiceBusMessage("tomorrow");
        sender.cancelScheduledMessage(sender.scheduleMessage(tomorrow, OffsetDateTime.now().plusDays(1)));
    }

    private static void session(String id) {
        Bus.send("sessions", new ServiceBusMessage("in order").setSessionId(id).setMessageId("of a session"));
        try (ServiceBusSessionReceiverClient acceptor = Sessions.acceptor();
                ServiceBusReceiverClient receiver = acceptor.acceptSession(id)) {
            receiver.setSessionState(new byte[] {1, 2, 3});
            receiver.getSessionState();
            receiver.renewSessionLock();
            receiver.complete(Bus.take(receiver, "of a session"));
        }
    }

    private static void topic() {
        ServiceBusMessage red = new ServiceBusMessage("event").setSubject("red").setSessionId("s").setMessageId("red");
        try (ServiceBusSenderClient sender = Bus.builder().sender().topicName("events").buildClient();
                ServiceBusReceiverClient receiver = Bus.subscriptionReceiver("events", "red")) {
            sender.sendMessage(red);
            receiver.complete(Bus.take(receiver, "red"));
        }
    }

    private static void rules() {
        try (ServiceBusRuleManagerClient rules = Bus.builder().ruleManager()
                .topicName("events").subscriptionName("red").buildClient()) {
            rules.createRule("by-level", new CreateRuleOptions(new SqlRuleFilter("level > 5")));
            Expect.equal("rules", 2L, rules.listRules().stream().count());
            rules.deleteRule("by-level");
        }
    }
}
