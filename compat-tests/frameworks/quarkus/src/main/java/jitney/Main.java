// JMS in a program of Quarkus: `first` runs the scenarios; `again`, a later process, sends to the topic before it starts the listeners.

package jitney;

import io.quarkus.runtime.QuarkusApplication;
import io.quarkus.runtime.annotations.QuarkusMain;
import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.Destination;
import jakarta.jms.JMSContext;
import java.util.Objects;

@QuarkusMain
public class Main implements QuarkusApplication {
    @Inject
    ConnectionFactory connectionFactory;

    @Inject
    Listeners listeners;

    private boolean isGood = true;

    private interface Scenario {
        void run() throws Exception;
    }

    @Override
    public int run(String... words) {
        try (var context = connectionFactory.createContext()) {
            if (words[0].equals("first")) runAll(context);
            else runAgain(context);
        }
        return isGood ? 0 : 1;
    }

    private void runAll(JMSContext context) {
        var orders = context.createQueue("orders");
        var events = context.createTopic("events");
        listeners.start();
        check("a queue takes what a producer sends, and hands it to a consumer", () -> {
            var parcels = context.createQueue("parcels");
            context.createProducer().send(parcels, "parcel");
            equal("text", "parcel", receive(context, parcels));
        });
        check("a consumer of a queue has a selector", () -> {
            context.createProducer().setProperty("color", "blue").send(orders, "blue order");
            context.createProducer().setProperty("color", "red").send(orders, "red order");
            expect("red orders", "red order");
            equal("what is left", "blue order", receive(context, orders));
        });
        check("shared subscriptions receive, durable or not", () -> {
            context.createProducer().setProperty("color", "blue").send(events, "blue event");
            for (String name : new String[] {"workers", "screens"}) expect(name, "blue event");
        });
        check("a subscription has a selector", () -> {
            context.createProducer().setProperty("color", "red").send(events, "red event");
            for (String name : new String[] {"reds", "workers", "screens"}) expect(name, "red event");
        });
        check("a request gets its reply in a temporary queue", () -> {
            var replies = context.createTemporaryQueue();
            var request = context.createTextMessage("tea");
            request.setJMSReplyTo(replies);
            context.createProducer().send(context.createQueue("prices"), request);
            try (var consumer = context.createConsumer(replies)) {
                var reply = consumer.receive(Listeners.PATIENCE_MS);
                equal("reply", "tea costs 7", reply == null ? null : reply.getBody(String.class));
                equal("its correlation id", request.getJMSMessageID(), reply.getJMSCorrelationID());
            }
        });
    }

    private void runAgain(JMSContext context) {
        var events = context.createTopic("events");
        context.createProducer().send(events, "sent meanwhile");
        listeners.start();
        context.createProducer().send(events, "sent later");
        check("a durable subscription has kept what came while the program was stopped", () -> {
            expect("workers", "sent meanwhile");
            expect("workers", "sent later");
        });
        check("a subscription that is not durable has kept nothing", () -> expect("screens", "sent later"));
    }

    private static String receive(JMSContext context, Destination from) {
        try (var consumer = context.createConsumer(from)) {
            return consumer.receiveBody(String.class, Listeners.PATIENCE_MS);
        }
    }

    private void expect(String inbox, String text) throws InterruptedException {
        equal(inbox, text, listeners.next(inbox));
    }

    private void check(String name, Scenario scenario) {
        try {
            scenario.run();
            System.out.println("good: " + name);
        } catch (Exception | AssertionError error) {
            isGood = false;
            System.out.println("bad: " + name + ": " + error);
        }
    }

    private static void equal(String what, Object expected, Object seen) {
        if (!Objects.equals(expected, seen)) {
            throw new AssertionError(what + ": expected " + expected + ", and it is " + seen);
        }
    }
}
