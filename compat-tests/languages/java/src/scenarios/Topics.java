// Topics with their subscriptions and rules, and forwarding.
package scenarios;

import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusRuleManagerClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.administration.models.CorrelationRuleFilter;
import com.azure.messaging.servicebus.administration.models.CreateRuleOptions;
import com.azure.messaging.servicebus.administration.models.RuleProperties;
import com.azure.messaging.servicebus.administration.models.SqlRuleAction;
import java.util.List;
import java.util.Map;

final class Topics {
    private Topics() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("topic-rules", Topics::rules);
        scenarios.put("forwarding", Topics::forwarding);
    }

    private static void rules() {
        ServiceBusMessage red = Bus.message("red").setSubject("red");
        ServiceBusMessage blue = Bus.message("blue").setSubject("blue");
        try (ServiceBusSenderClient sender = Bus.builder().sender().topicName("events").buildClient();
                ServiceBusReceiverClient all = Bus.subscriptionReceiver("events", "all");
                ServiceBusReceiverClient onlyRed = Bus.subscriptionReceiver("events", "red")) {
            Bus.drain(all);
            Bus.drain(onlyRed);
            sender.sendMessages(List.of(red, blue));
            expectIds(all, List.of(red, blue));
            expectIds(onlyRed, List.of(red));
            withRuleAdded(() -> {
                ServiceBusMessage marked = Bus.message("marked").setSubject("green");
                marked.getApplicationProperties().put("level", 5);
                sender.sendMessage(marked);
                ServiceBusReceivedMessage copy = Bus.take(onlyRed, marked.getMessageId());
                Expect.equal("property set by the action", "yes", copy.getApplicationProperties().get("marked"));
                onlyRed.complete(copy);
                expectIds(all, List.of(marked));
            });
        }
    }

    /** Adds a rule through the subscription's own node, not through the administration. */
    private static void withRuleAdded(Scenario action) {
        CorrelationRuleFilter filter = new CorrelationRuleFilter();
        filter.getProperties().put("level", 5);
        try (ServiceBusRuleManagerClient rules = Bus.builder().ruleManager()
                .topicName("events").subscriptionName("red").buildClient()) {
            rules.createRule("level", new CreateRuleOptions(filter).setAction(new SqlRuleAction("SET marked = 'yes'")));
            List<String> names = rules.listRules().stream().map(RuleProperties::getName).sorted().toList();
            Expect.that(names.contains("level"), "the new rule is not listed: " + names);
            try {
                action.run();
            } catch (Exception error) {
                throw new IllegalStateException(error);
            } finally {
                rules.deleteRule("level");
            }
        }
    }

    /** Expects these messages and no others, in whatever order. */
    private static void expectIds(ServiceBusReceiverClient receiver, List<ServiceBusMessage> messages) {
        Expect.equal("ids at " + receiver.getEntityPath(),
                messages.stream().map(ServiceBusMessage::getMessageId).sorted().toList(),
                Bus.drain(receiver, messages.size()).stream()
                        .map(ServiceBusReceivedMessage::getMessageId).sorted().toList());
    }

    private static void forwarding() {
        String id = Bus.send("inbox", "onwards");
        try (ServiceBusReceiverClient receiver = Bus.receiver("archive")) {
            receiver.complete(Bus.take(receiver, id));
        }
        Expect.failure(RuntimeException.class, "receiving from a queue that forwards", () -> {
            try (ServiceBusReceiverClient receiver = Bus.receiver("inbox")) {
                receiver.receiveMessages(1, Bus.GLANCE).stream().toList();
            }
        });
    }
}
