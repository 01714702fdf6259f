// Apache Camel's component for JMS: `first` runs the scenarios; `again`, a later process, sends to the topic before it starts the routes.

package jitney;

import java.util.Objects;
import org.apache.camel.ConsumerTemplate;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.component.jms.JmsConsumer;
import org.apache.camel.impl.DefaultCamelContext;
import org.springframework.jms.listener.DefaultMessageListenerContainer;

public class Main {
    private static final int PATIENCE_MS = 30_000;
    private static final int DELAY_MS = 1_500;

    private final DefaultCamelContext camel;
    private final ProducerTemplate out;
    private final ConsumerTemplate in;
    private boolean isGood = true;

    private Main(DefaultCamelContext camel) {
        this.camel = camel;
        out = camel.createProducerTemplate();
        in = camel.createConsumerTemplate();
    }

    private interface Scenario {
        void run() throws Exception;
    }

    public static void main(String[] words) throws Exception {
        boolean isGood;
        try (var camel = new DefaultCamelContext()) {
            Routes.addComponent(camel, System.getenv("SERVICEBUS_CONNECTION_STRING"));
            camel.start();
            var main = new Main(camel);
            if (words[0].equals("first")) main.runAll();
            else main.runAgain();
            isGood = main.isGood;
        }
        System.exit(isGood ? 0 : 1);
    }

    private void runAll() throws Exception {
        startRoutes();
        check("a consumer of a queue has a selector", () -> {
            out.sendBodyAndHeader("jms:queue:orders", "blue order", "color", "blue");
            out.sendBodyAndHeader("jms:queue:orders", "red order", "color", "red");
            expect("red orders", "red order");
            equal("what is left", "blue order", in.receiveBody("jms:queue:orders", PATIENCE_MS));
        });
        check("durable and shared subscriptions receive", () -> {
            out.sendBodyAndHeader("jms:topic:events", "blue event", "color", "blue");
            for (String name : new String[] {"billing", "workers", "screens"}) expect(name, "blue event");
        });
        check("a subscription has a selector", () -> {
            out.sendBodyAndHeader("jms:topic:events", "red event", "color", "red");
            for (String name : new String[] {"reds", "billing", "workers", "screens"}) expect(name, "red event");
        });
        check("a request gets the reply of a route", () ->
            equal("reply", "tea costs 7", out.requestBody("jms:queue:prices", "tea")));
        check("a message whose route has failed comes again", () -> {
            out.sendBody("jms:queue:fragile", "glass");
            expect("fragile", "glass came 2 times");
        });
        check("a message is delivered after its delay", () -> {
            long sentAt = System.currentTimeMillis();
            out.sendBody("jms:queue:later?deliveryDelay=" + DELAY_MS, "parcel");
            equal("text", "parcel", in.receiveBody("jms:queue:later", PATIENCE_MS));
            equal("later than the delay", true, System.currentTimeMillis() - sentAt >= DELAY_MS);
        });
    }

    private void runAgain() throws Exception {
        out.sendBody("jms:topic:events", "sent meanwhile");
        startRoutes();
        out.sendBody("jms:topic:events", "sent later");
        check("durable subscriptions have kept what came while the program was stopped", () -> {
            for (String name : new String[] {"billing", "workers"}) {
                expect(name, "sent meanwhile");
                expect(name, "sent later");
            }
        });
        check("a subscription that is not durable has kept nothing", () -> expect("screens", "sent later"));
    }

    /** Consumers are made in threads of their own: what a topic gets before they are there does not reach them. */
    private void startRoutes() throws Exception {
        camel.addRoutes(new Routes());
        long end = System.currentTimeMillis() + PATIENCE_MS;
        for (var route : camel.getRoutes()) {
            var container = (DefaultMessageListenerContainer) ((JmsConsumer) route.getConsumer()).getListenerContainer();
            while (!container.isRegisteredWithDestination()) {
                if (System.currentTimeMillis() > end) throw new IllegalStateException("No consumer: " + route.getEndpoint());
                Thread.sleep(20);
            }
        }
    }

    private void expect(String inbox, String text) {
        equal(inbox, text, in.receiveBody("seda:" + inbox, PATIENCE_MS));
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
