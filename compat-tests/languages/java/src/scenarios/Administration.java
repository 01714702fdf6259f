// The administration client: entities, rules with typed values, and counts.
package scenarios;

import com.azure.core.exception.ResourceExistsException;
import com.azure.core.exception.ResourceNotFoundException;
import com.azure.core.http.HttpPipelineCallContext;
import com.azure.core.http.HttpPipelineNextPolicy;
import com.azure.core.util.UrlBuilder;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.administration.ServiceBusAdministrationClient;
import com.azure.messaging.servicebus.administration.ServiceBusAdministrationClientBuilder;
import com.azure.messaging.servicebus.administration.models.CorrelationRuleFilter;
import com.azure.messaging.servicebus.administration.models.CreateQueueOptions;
import com.azure.messaging.servicebus.administration.models.CreateRuleOptions;
import com.azure.messaging.servicebus.administration.models.CreateSubscriptionOptions;
import com.azure.messaging.servicebus.administration.models.QueueProperties;
import com.azure.messaging.servicebus.administration.models.QueueRuntimeProperties;
import com.azure.messaging.servicebus.administration.models.RuleProperties;
import com.azure.messaging.servicebus.administration.models.SqlRuleAction;
import com.azure.messaging.servicebus.administration.models.SqlRuleFilter;
import com.azure.messaging.servicebus.administration.models.SubscriptionProperties;
import com.azure.messaging.servicebus.administration.models.TopicProperties;
import java.net.MalformedURLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import reactor.core.publisher.Mono;

final class Administration {
    private Administration() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("admin-entities", Administration::entities);
        scenarios.put("admin-rules", Administration::rules);
        scenarios.put("admin-counts", Administration::counts);
    }

    /** Speaks HTTPS, and to port 443 whatever it is told: a policy sends its requests to ours if 443 is not. */
    static ServiceBusAdministrationClientBuilder builder() {
        boolean isListening = System.getenv("HTTPS_PORT") != null;
        return isListening ? new ServiceBusAdministrationClientBuilder() : builder(Program.setting("ADMIN_PORT"));
    }

    static ServiceBusAdministrationClientBuilder builder(String port) {
        return new ServiceBusAdministrationClientBuilder().addPolicy((context, next) -> toPort(port, context, next));
    }

    private static Mono<com.azure.core.http.HttpResponse> toPort(
            String port, HttpPipelineCallContext context, HttpPipelineNextPolicy next) {
        try {
            UrlBuilder url = UrlBuilder.parse(context.getHttpRequest().getUrl());
            context.getHttpRequest().setUrl(url.setPort(port).toUrl());
        } catch (MalformedURLException error) {
            return Mono.error(error);
        }
        return next.process();
    }

    static ServiceBusAdministrationClient client() {
        return builder().connectionString(Program.setting("CONNECTION_STRING")).buildClient();
    }

    static String newName(String prefix) {
        return prefix + "-" + UUID.randomUUID().toString().substring(0, 8);
    }

    private static void entities() {
        ServiceBusAdministrationClient client = client();
        queues(client, newName("java-queue"));
        topics(client, newName("java-topic"));
    }

    private static void queues(ServiceBusAdministrationClient client, String name) {
        QueueProperties made = client.createQueue(name, new CreateQueueOptions()
                .setLockDuration(Duration.ofSeconds(45)).setMaxDeliveryCount(7)
                .setDefaultMessageTimeToLive(Duration.ofHours(2)).setDeadLetteringOnMessageExpiration(true)
                .setUserMetadata("made by java"));
        Expect.equal("name", name, made.getName());
        Expect.failure(ResourceExistsException.class, "creating it again", () -> client.createQueue(name));
        QueueProperties read = client.getQueue(name);
        Expect.equal("lock duration", Duration.ofSeconds(45), read.getLockDuration());
        Expect.equal("max delivery count", 7, read.getMaxDeliveryCount());
        Expect.equal("default time to live", Duration.ofHours(2), read.getDefaultMessageTimeToLive());
        Expect.equal("dead-lettering", true, read.isDeadLetteringOnMessageExpiration());
        Expect.equal("user metadata", "made by java", read.getUserMetadata());
        QueueProperties updated = client.updateQueue(read.setMaxDeliveryCount(9));
        Expect.equal("updated max delivery count", 9, updated.getMaxDeliveryCount());
        List<String> names = client.listQueues().stream().map(QueueProperties::getName).toList();
        Expect.that(names.contains(name) && names.contains("plain"), "the list lacks a queue: " + names);
        client.deleteQueue(name);
        Expect.equal("exists when deleted", false, client.getQueueExists(name));
        Expect.failure(ResourceNotFoundException.class, "reading a deleted queue", () -> client.getQueue(name));
        Expect.failure(ResourceNotFoundException.class, "deleting a deleted queue",
                () -> client.deleteQueue(name));
    }

    private static void topics(ServiceBusAdministrationClient client, String name) {
        client.createTopic(name);
        client.createSubscription(name, "sub", new CreateSubscriptionOptions()
                .setLockDuration(Duration.ofSeconds(20)).setSessionRequired(true));
        SubscriptionProperties subscription = client.getSubscription(name, "sub");
        Expect.equal("lock duration", Duration.ofSeconds(20), subscription.getLockDuration());
        Expect.equal("sessions", true, subscription.isSessionRequired());
        subscription = client.updateSubscription(subscription.setMaxDeliveryCount(4));
        Expect.equal("updated max delivery count", 4, subscription.getMaxDeliveryCount());
        TopicProperties topic = client.updateTopic(client.getTopic(name).setUserMetadata("changed"));
        Expect.equal("updated user metadata", "changed", topic.getUserMetadata());
        Expect.equal("subscription count", 1, client.getTopicRuntimeProperties(name).getSubscriptionCount());
        Expect.equal("subscriptions", List.of("sub"),
                client.listSubscriptions(name).stream().map(SubscriptionProperties::getSubscriptionName).toList());
        Expect.that(client.listTopics().stream().anyMatch(one -> one.getName().equals(name)),
                "the topic is not listed");
        client.deleteSubscription(name, "sub");
        Expect.equal("subscription exists", false, client.getSubscriptionExists(name, "sub"));
        client.deleteTopic(name);
        Expect.equal("topic exists", false, client.getTopicExists(name));
    }

    private static void rules() {
        ServiceBusAdministrationClient client = client();
        String topic = newName("java-rules");
        client.createTopic(topic);
        client.createSubscription(topic, "sub");
        Expect.equal("rules of a new subscription", List.of("$Default"), ruleNames(client, topic));
        CorrelationRuleFilter correlation = new CorrelationRuleFilter("correlation").setLabel("label");
        // The library writes and reads each value as a string, whatever its type is.
        correlation.getProperties().putAll(Map.of("color", "red", "size", "7"));
        client.createRule(topic, "correlated", "sub", new CreateRuleOptions(correlation));
        SqlRuleFilter sql = new SqlRuleFilter("level > @least AND name = @name");
        sql.getParameters().putAll(Map.of("@least", "3", "@name", "x"));
        client.createRule(topic, "sql", "sub",
                new CreateRuleOptions(sql).setAction(new SqlRuleAction("SET sys.Label = 'seen'")));
        RuleProperties correlated = client.getRule(topic, "sub", "correlated");
        CorrelationRuleFilter read = (CorrelationRuleFilter) correlated.getFilter();
        Expect.equal("correlation id", "correlation", read.getCorrelationId());
        Expect.equal("label", "label", read.getLabel());
        for (Map.Entry<String, Object> entry : correlation.getProperties().entrySet()) {
            Expect.equal("property " + entry.getKey(), entry.getValue(), read.getProperties().get(entry.getKey()));
        }
        RuleProperties rule = client.getRule(topic, "sub", "sql");
        SqlRuleFilter filter = (SqlRuleFilter) rule.getFilter();
        Expect.equal("expression", "level > @least AND name = @name", filter.getSqlExpression());
        Expect.equal("parameters", sql.getParameters(), filter.getParameters());
        Expect.equal("action", "SET sys.Label = 'seen'", ((SqlRuleAction) rule.getAction()).getSqlExpression());
        client.deleteRule(topic, "sub", "$Default");
        Expect.equal("rules left", List.of("correlated", "sql"), ruleNames(client, topic));
        client.deleteTopic(topic);
    }

    private static List<String> ruleNames(ServiceBusAdministrationClient client, String topic) {
        return client.listRules(topic, "sub").stream().map(RuleProperties::getName).sorted().toList();
    }

    private static void counts() {
        ServiceBusAdministrationClient client = client();
        String queue = newName("java-counts");
        client.createQueue(queue);
        QueueRuntimeProperties unused = client.getQueueRuntimeProperties(queue);
        Expect.equal("year of access of an unused queue", 1, unused.getAccessedAt().getYear());
        try (ServiceBusSenderClient sender = Bus.sender(queue);
                ServiceBusReceiverClient receiver = Bus.receiver(queue)) {
            sender.sendMessages(List.of(Bus.message("one"), Bus.message("two"), Bus.message("three")));
            sender.scheduleMessage(Bus.message("later"), OffsetDateTime.now().plusHours(1));
            ServiceBusReceivedMessage first = receiver.receiveMessages(1, Bus.PATIENCE)
                    .stream().findFirst().orElseThrow();
            receiver.deadLetter(first);
        }
        QueueRuntimeProperties seen = client.getQueueRuntimeProperties(queue);
        Expect.equal("active", 2, seen.getActiveMessageCount());
        Expect.equal("scheduled", 1, seen.getScheduledMessageCount());
        Expect.equal("dead-lettered", 1, seen.getDeadLetterMessageCount());
        Expect.equal("total", 4L, seen.getTotalMessageCount());
        Expect.that(seen.getSizeInBytes() > 0, "the size is 0");
        client.deleteQueue(queue);
    }
}
