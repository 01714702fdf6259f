// Processors, which call a handler for each message and settle and renew for it.
package scenarios;

import com.azure.messaging.servicebus.ServiceBusErrorContext;
import com.azure.messaging.servicebus.ServiceBusProcessorClient;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessageContext;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.ServiceBusSessionReceiverClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

final class Processors {
    /** More than two locks of the queues here. */
    private static final long SLOWLY_MS = 4_500;

    private Processors() {}

    static void addTo(Map<String, Scenario> scenarios) {
        scenarios.put("processor", Processors::processor);
        scenarios.put("session-processor", Processors::sessionProcessor);
    }

    private static void processor() throws InterruptedException {
        Transactions.bodies("short");
        for (String body : List.of("slow", "fails once", "quick")) Bus.send("short", body);
        Handled handled = new Handled(3);
        handled.run(Bus.builder().processor().queueName("short").maxConcurrentCalls(2)
                .processMessage(handled.by(Processors::handle)).processError(handled::fail).buildProcessorClient());
        handled.expect(List.of("fails once, 1", "quick, 0", "slow, 0"), List.of("USER_CALLBACK"));
        Expect.equal("bodies left", List.of(), Transactions.bodies("short"));
    }

    private static String handle(ServiceBusReceivedMessageContext context) {
        ServiceBusReceivedMessage message = context.getMessage();
        String body = message.getBody().toString();
        if (body.equals("slow")) sleep();
        if (body.equals("fails once") && message.getDeliveryCount() == 0) throw new IllegalStateException("not this time");
        return body + ", " + message.getDeliveryCount();
    }

    private static void sessionProcessor() throws InterruptedException {
        List<String> sessions = List.of("a", "b", "c");
        for (String session : sessions) {
            for (String body : List.of("slow", "quick")) {
                Bus.send(Sessions.SHORT_QUEUE, Bus.message(body).setSessionId(session));
            }
        }
        Queue<String> order = new ConcurrentLinkedQueue<>();
        Handled handled = new Handled(6);
        handled.run(Bus.builder().sessionProcessor().queueName(Sessions.SHORT_QUEUE).maxConcurrentSessions(2)
                .sessionIdleTimeout(Duration.ofSeconds(1)).processMessage(handled.by(context -> {
                    String line = context.getMessage().getSessionId() + ": " + handle(context);
                    order.add(line);
                    return line;
                })).processError(handled::fail).buildProcessorClient());
        handled.expect(sessions.stream().flatMap(id -> Stream.of(id + ": quick, 0", id + ": slow, 0")).toList(), List.of());
        for (String session : sessions) {
            Expect.equal("order", List.of(session + ": slow, 0", session + ": quick, 0"),
                    order.stream().filter(line -> line.startsWith(session)).toList());
            try (ServiceBusSessionReceiverClient acceptor = Sessions.acceptor(Bus.builder(), Sessions.SHORT_QUEUE);
                    ServiceBusReceiverClient receiver = acceptor.acceptSession(session)) {
                Expect.equal("messages left", 0, Bus.drain(receiver).size());
            }
        }
    }

    private static void sleep() {
        try {
            Thread.sleep(SLOWLY_MS);
        } catch (InterruptedException error) {
            throw new IllegalStateException(error);
        }
    }

    private interface Handler {
        String handle(ServiceBusReceivedMessageContext context);
    }

    /** What handlers have done, and when it is so many. */
    private static final class Handled {
        private final Queue<String> lines = new ConcurrentLinkedQueue<>();
        private final Queue<String> errors = new ConcurrentLinkedQueue<>();
        private final CountDownLatch left;

        Handled(int count) {
            left = new CountDownLatch(count);
        }

        Consumer<ServiceBusReceivedMessageContext> by(Handler handler) {
            return context -> {
                lines.add(handler.handle(context));
                left.countDown();
            };
        }

        void fail(ServiceBusErrorContext context) {
            errors.add(context.getErrorSource().toString());
        }

        void run(ServiceBusProcessorClient processor) throws InterruptedException {
            try (processor) {
                processor.start();
                Expect.that(left.await(30, TimeUnit.SECONDS), left.getCount() + " messages were not handled; errors: " + errors);
                // The last message is completed when its handler is done.
                Thread.sleep(500);
            }
        }

        void expect(List<String> expected, List<String> failures) {
            Expect.equal("handled", expected, lines.stream().sorted().toList());
            Expect.equal("errors", failures, List.copyOf(errors));
        }
    }
}
