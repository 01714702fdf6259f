// Ways in: TLS, WebSockets, tokens of a managed identity, and keys under strict authorization.
package scenarios;

import com.azure.core.amqp.AmqpTransportType;
import com.azure.core.credential.TokenCredential;
import com.azure.identity.ManagedIdentityCredentialBuilder;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusException;
import com.azure.messaging.servicebus.ServiceBusFailureReason;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.administration.ServiceBusAdministrationClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

final class Connections {
    /** A person takes this long for an answer; a client that retries what is final takes longer. */
    private static final Duration AT_ONCE = Duration.ofSeconds(10);

    private Connections() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("tls-amqp", () -> roundTrip(Connections::overTls));
        scenarios.put("websocket", () -> roundTrip(() -> overWebSocket(Bus.builder())));
        scenarios.put("websocket-tls", () -> roundTrip(() -> overWebSocket(overTls())));
        scenarios.put("identity-amqp", () -> roundTrip(Connections::asIdentity));
        scenarios.put("identity-admin", Connections::administerAsIdentity);
        scenarios.put("strict-sas", Connections::rightKey);
        scenarios.put("strict-wrong-key", Connections::wrongKey);
        scenarios.put("strict-missing-entity", Connections::missingEntity);
        scenarios.put("namespaces", Connections::namespaces);
    }

    private static ServiceBusClientBuilder overTls() {
        return Bus.builder(Program.setting("TLS_CONNECTION_STRING"));
    }

    private static ServiceBusClientBuilder overWebSocket(ServiceBusClientBuilder builder) {
        return builder.transportType(AmqpTransportType.AMQP_WEB_SOCKETS);
    }

    private static ServiceBusClientBuilder asIdentity() {
        return new ServiceBusClientBuilder().credential(Program.setting("FQDN"), identity())
                .customEndpointAddress("https://" + Program.setting("HOST") + ":" + Program.setting("PORT"))
                .retryOptions(Bus.retries());
    }

    /** Asks IDENTITY_ENDPOINT for its tokens, as in an App Service. */
    private static TokenCredential identity() {
        return new ManagedIdentityCredentialBuilder().build();
    }

    private static void roundTrip(Supplier<ServiceBusClientBuilder> builder) {
        ServiceBusMessage message = Bus.message("there");
        try (ServiceBusSenderClient sender = builder.get().sender().queueName("plain").buildClient();
                ServiceBusReceiverClient receiver = Bus.receiver(builder.get(), "plain")) {
            sender.sendMessage(message);
            receiver.complete(Bus.take(receiver, message.getMessageId()));
            // The request node has a token of its own.
            receiver.peekMessages(1).stream().toList();
        }
    }

    private static void administerAsIdentity() {
        ServiceBusAdministrationClient client = Administration.builder()
                .credential(Program.setting("FQDN"), identity()).buildClient();
        Expect.equal("name", "plain", client.getQueue("plain").getName());
        Expect.equal("exists", false, client.getQueueExists("no-such-queue"));
    }

    private static void rightKey() {
        roundTrip(() -> Bus.builder(Program.setting("STRICT_CONNECTION_STRING")));
    }

    private static void wrongKey() {
        String wrong = Program.setting("STRICT_CONNECTION_STRING").replaceFirst("SharedAccessKey=[^;]*",
                "SharedAccessKey=d3Jvbmc=");
        expectRefused(wrong, "plain", ServiceBusFailureReason.UNAUTHORIZED);
    }

    private static void missingEntity() {
        expectRefused(Program.setting("STRICT_CONNECTION_STRING"), "missing",
                ServiceBusFailureReason.MESSAGING_ENTITY_NOT_FOUND);
    }

    /** Two at once, strict and not. */
    private static void namespaces() {
        for (String variable : List.of("CONNECTION_STRING", "STRICT_CONNECTION_STRING")) {
            ServiceBusMessage forOne = Bus.message("for one");
            ServiceBusMessage forTwo = Bus.message("for two");
            try (ServiceBusSenderClient one = inNamespace(variable, "one").sender().queueName("plain").buildClient();
                    ServiceBusSenderClient two = inNamespace(variable, "two").sender().queueName("plain").buildClient()) {
                one.sendMessage(forOne);
                two.sendMessage(forTwo);
            }
            expectOnly(inNamespace(variable, "one"), forOne);
            expectOnly(inNamespace(variable, "two"), forTwo);
        }
    }

    private static ServiceBusClientBuilder inNamespace(String variable, String name) {
        String field = "SharedAccessKeyName=" + Program.setting("KEY_NAME");
        return Bus.builder(Program.setting(variable).replace(field, field + "@" + name));
    }

    private static void expectOnly(ServiceBusClientBuilder builder, ServiceBusMessage message) {
        try (ServiceBusReceiverClient receiver = Bus.receiver(builder, "plain")) {
            List<String> found = receiver.peekMessages(10).stream().map(each -> each.getMessageId()).toList();
            Expect.equal("messages", List.of(message.getMessageId()), found);
            receiver.complete(Bus.take(receiver, message.getMessageId()));
        }
    }

    /** With the retries of the library itself, as they are what a user waits for. */
    private static void expectRefused(String connectionString, String queue, ServiceBusFailureReason reason) {
        long start = System.nanoTime();
        ServiceBusException error = Expect.failure(ServiceBusException.class, "sending", () -> {
            try (ServiceBusSenderClient sender = new ServiceBusClientBuilder().connectionString(connectionString)
                    .sender().queueName(queue).buildClient()) {
                sender.sendMessage(Bus.message("refused"));
            }
        });
        Expect.equal("reason (" + error.getMessage() + ")", reason, error.getReason());
        Duration passed = Duration.ofNanos(System.nanoTime() - start);
        Expect.that(passed.compareTo(AT_ONCE) < 0, "it took " + passed.toMillis() + " ms to be told");
    }
}
