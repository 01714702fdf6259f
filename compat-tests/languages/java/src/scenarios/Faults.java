// The faults of the table: what the library reports of each, and how often it tries.
package scenarios;

import com.azure.core.amqp.AmqpRetryOptions;
import com.azure.core.http.policy.FixedDelayOptions;
import com.azure.core.http.policy.RetryOptions;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusException;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSenderClient;
import com.azure.messaging.servicebus.administration.models.CreateQueueOptions;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

final class Faults {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Faults() {}

    /** Made when the first request is: an HttpClient reads the trust store, which Program sets after this class is loaded. */
    private static final class Http {
        private static final HttpClient CLIENT = HttpClient.newHttpClient();
    }

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("faults", Faults::run);
    }

    private static String run() throws Exception {
        Path folder = Path.of(Program.setting("FAULTS"));
        ObjectNode seen = allRows(JSON.readTree(folder.resolve("cases.json").toFile()));
        String file = System.getenv("FAULTS_SEEN");
        if (file != null) {
            Files.writeString(Path.of(file), seen.toString());
            return null;
        }
        JsonNode expected = JSON.readTree(folder.resolve("expected.json").toFile()).get("java");
        List<String> wrong = new ArrayList<>();
        for (Iterator<String> names = seen.fieldNames(); names.hasNext();) {
            String name = names.next();
            if (!seen.get(name).equals(expected.get(name))) {
                wrong.add(name + ": expected " + expected.get(name) + ", saw " + seen.get(name));
            }
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(String.join("; ", wrong));
        }
        return null;
    }

    /** Tries four at a time, each with a queue of its own. */
    private static ObjectNode allRows(JsonNode cases) throws Exception {
        ObjectNode seen = JSON.createObjectNode();
        ExecutorService workers = Executors.newFixedThreadPool(4);
        Map<String, Future<JsonNode>> rows = new LinkedHashMap<>();
        for (JsonNode one : cases) {
            rows.put(one.get("id").asText(), workers.submit(() -> rowOf(one)));
        }
        for (Map.Entry<String, Future<JsonNode>> row : rows.entrySet()) {
            seen.set(row.getKey(), row.getValue().get());
        }
        workers.shutdown();
        return seen;
    }

    private static JsonNode rowOf(JsonNode one) throws Exception {
        String queue = "faults-" + UUID.randomUUID();
        CreateQueueOptions options = new CreateQueueOptions().setSessionRequired(
                one.get("operation").asText().equals("session-state"));
        Administration.builder().connectionString(Program.setting("CONNECTION_STRING")).buildClient()
                .createQueue(queue, options);
        ObjectNode given = one.get("fault").deepCopy();
        int id = control("faults", given.put("entity", queue).toString()).get("id").asInt();
        String outcome;
        try {
            operate(one.get("operation").asText(), queue);
            outcome = "succeeds";
        } catch (ServiceBusException error) {
            outcome = "ServiceBusException " + error.getReason();
        } catch (RuntimeException error) {
            outcome = error.getClass().getSimpleName();
        }
        int attempts = 0;
        for (JsonNode fault : control("faults", null).get("faults")) {
            if (fault.get("id").asInt() == id) {
                attempts = fault.get("matchedCount").asInt();
            }
        }
        control("faults:remove", "{\"id\":" + id + "}");
        return JSON.createObjectNode().put("outcome", outcome).put("attempts", attempts);
    }

    private static JsonNode control(String name, String body) throws Exception {
        String address = "http://" + Program.setting("HOST") + ":" + Program.setting("PORT") + "/%24jitney/v1/" + name;
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(address));
        if (body != null) {
            request.header("Content-Type", "application/json").POST(HttpRequest.BodyPublishers.ofString(body));
        }
        return JSON.readTree(Http.CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString()).body());
    }

    private static ServiceBusClientBuilder builder() {
        return new ServiceBusClientBuilder()
                .connectionString(Program.setting("CONNECTION_STRING"))
                .retryOptions(new AmqpRetryOptions()
                        .setMaxRetries(2)
                        .setDelay(Duration.ofMillis(1))
                        .setMaxDelay(Duration.ofMillis(5))
                        .setTryTimeout(Duration.ofSeconds(2)));
    }

    private static void operate(String operation, String queue) {
        switch (operation) {
            case "send" -> send(queue);
            case "receive", "complete", "renew-lock" -> {
                send(queue);
                receive(operation, queue);
            }
            case "peek" -> {
                try (ServiceBusReceiverClient receiver = Bus.receiver(builder(), queue)) {
                    receiver.peekMessage();
                }
            }
            case "schedule" -> {
                try (ServiceBusSenderClient sender = builder().sender().queueName(queue).buildClient()) {
                    sender.scheduleMessage(new ServiceBusMessage("x"), OffsetDateTime.now().plusHours(1));
                }
            }
            case "session-state" -> {
                try (var sessions = builder().sessionReceiver().queueName(queue).buildClient();
                        var receiver = sessions.acceptSession("a")) {
                    receiver.getSessionState();
                }
            }
            default -> Administration.builder()
                    .connectionString(Program.setting("CONNECTION_STRING"))
                    .retryOptions(new RetryOptions(new FixedDelayOptions(2, Duration.ofMillis(1))))
                    .buildClient()
                    .getQueue(queue);
        }
    }

    private static void send(String queue) {
        try (ServiceBusSenderClient sender = builder().sender().queueName(queue).buildClient()) {
            sender.sendMessage(new ServiceBusMessage("x"));
        }
    }

    private static void receive(String operation, String queue) {
        try (ServiceBusReceiverClient receiver = Bus.receiver(builder(), queue)) {
            List<ServiceBusReceivedMessage> found =
                    receiver.receiveMessages(1, Duration.ofSeconds(1)).stream().toList();
            if (found.isEmpty()) {
                throw new IllegalStateException("nothing received");
            }
            if (operation.equals("complete")) {
                receiver.complete(found.get(0));
            } else if (operation.equals("renew-lock")) {
                receiver.renewMessageLock(found.get(0));
            }
        }
    }
}
