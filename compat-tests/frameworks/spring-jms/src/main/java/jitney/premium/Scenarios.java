// What a JmsTemplate sends is received by the listeners, or by the JmsTemplate itself.

package jitney.premium;

import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.TemporaryQueue;
import org.springframework.jms.config.JmsListenerEndpointRegistry;
import org.springframework.jms.core.JmsTemplate;
import org.springframework.jms.listener.DefaultMessageListenerContainer;
import org.springframework.stereotype.Component;

@Component
class Scenarios {
    private static final int DELAY_MS = 1_500;

    private final Inbox inbox;
    private final JmsListenerEndpointRegistry registry;
    private final ConnectionFactory connectionFactory;
    private final JmsTemplate queues;
    private final JmsTemplate topics;
    private boolean isGood = true;

    Scenarios(Inbox inbox, JmsListenerEndpointRegistry registry, ConnectionFactory connectionFactory, JmsTemplate jms) {
        this.inbox = inbox;
        this.registry = registry;
        this.connectionFactory = connectionFactory;
        queues = jms;
        queues.setReceiveTimeout(Inbox.PATIENCE_S * 1_000L);
        topics = new JmsTemplate(connectionFactory);
        topics.setPubSubDomain(true);
    }

    private interface Scenario {
        void run() throws Exception;
    }

    boolean runAll() throws InterruptedException {
        waitForConsumers();
        check("a JmsTemplate sends to and receives from a queue", this::template);
        check("a listener receives from a queue", this::queue);
        check("durable and shared subscriptions receive", this::subscriptions);
        check("a subscription has a selector", this::subscriptionSelector);
        check("consumers of a queue have selectors", this::queueSelector);
        check("sendAndReceive gets the reply of a listener", this::requestAndReply);
        check("a listener forwards with @SendTo", this::forwarding);
        check("a message whose listener has thrown comes again", this::redelivery);
        check("a message whose listener always throws is dead-lettered", this::deadLetter);
        check("a message is delivered after its delay", this::delay);
        return isGood;
    }

    void sendMeanwhile() {
        topics.convertAndSend("events", "sent meanwhile");
    }

    boolean runAgain() throws InterruptedException {
        waitForConsumers();
        check("durable subscriptions have kept what came while the program was stopped", () -> {
            topics.convertAndSend("events", "sent later");
            inbox.expect("billing", "sent meanwhile");
            inbox.expect("billing", "sent later");
            inbox.expectInAnyOrder("workers", "sent meanwhile", "sent later");
        });
        check("a subscription that is not durable has kept nothing", () -> inbox.expect("screens", "sent later"));
        return isGood;
    }

    /** Listeners are started in threads of their own: what a topic gets before its consumers are there does not reach them. */
    private void waitForConsumers() throws InterruptedException {
        long end = System.currentTimeMillis() + Inbox.PATIENCE_S * 1_000L;
        for (var one : registry.getListenerContainers()) {
            var container = (DefaultMessageListenerContainer) one;
            while (!container.isRegisteredWithDestination()) {
                if (System.currentTimeMillis() > end) throw new IllegalStateException("No consumer: " + container.getDestinationName());
                Thread.sleep(20);
            }
        }
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

    private void template() {
        queues.convertAndSend("drawer", "hello");
        Expect.equal("text", "hello", queues.receiveAndConvert("drawer"));
    }

    private void queue() throws InterruptedException {
        queues.convertAndSend("orders", "order 1");
        inbox.expect("orders", "order 1");
    }

    /** Two consumers share `workers`: each message goes to one of them. */
    private void subscriptions() throws InterruptedException {
        topics.convertAndSend("events", "paid");
        for (String subscription : new String[] {"billing", "workers", "screens"}) inbox.expect(subscription, "paid");
    }

    private void subscriptionSelector() throws InterruptedException {
        sendWithColor(topics, "events", "blue");
        sendWithColor(topics, "events", "red");
        inbox.expect("reds", "red");
        for (String subscription : new String[] {"billing", "screens"}) {
            inbox.expect(subscription, "blue");
            inbox.expect(subscription, "red");
        }
        inbox.expectInAnyOrder("workers", "blue", "red");
    }

    private void queueSelector() throws InterruptedException {
        sendWithColor(queues, "paints", "blue");
        var urgent = new JmsTemplate(connectionFactory);
        urgent.setExplicitQosEnabled(true);
        urgent.setPriority(6);
        sendWithColor(urgent, "paints", "red");
        inbox.expect("paints", "red");
        inbox.expectNoMore("paints");
        Expect.equal("what is left", "blue", queues.receiveSelectedAndConvert("paints", "color = 'blue'"));
    }

    private void requestAndReply() throws JMSException {
        var reply = queues.sendAndReceive("prices", session -> session.createTextMessage("tea"));
        Expect.equal("reply", "tea costs 7", reply.getBody(String.class));
        Expect.equal("a temporary queue", true, reply.getJMSDestination() instanceof TemporaryQueue);
    }

    private void forwarding() {
        queues.convertAndSend("incoming", "letter");
        Expect.equal("text", "forwarded letter", queues.receiveAndConvert("outgoing"));
    }

    private void redelivery() throws InterruptedException {
        queues.convertAndSend("fragile", "glass");
        inbox.expect("fragile", "1 false");
        inbox.expect("fragile", "2 true");
    }

    private void deadLetter() {
        queues.convertAndSend("poison", "apple");
        Expect.equal("the dead letter", "apple", queues.receiveAndConvert("poison/$DeadLetterQueue"));
    }

    private void delay() throws JMSException {
        var delayed = new JmsTemplate(connectionFactory);
        delayed.setDeliveryDelay(DELAY_MS);
        long sentAt = System.currentTimeMillis();
        delayed.convertAndSend("later", "parcel");
        var message = queues.receive("later");
        long passedMs = System.currentTimeMillis() - sentAt;
        Expect.equal("text", "parcel", message.getBody(String.class));
        Expect.equal("later than the delay", true, passedMs >= DELAY_MS);
    }

    private static void sendWithColor(JmsTemplate jms, String destination, String color) {
        jms.convertAndSend(destination, color, message -> {
            message.setStringProperty("color", color);
            return message;
        });
    }
}
