package shop;

import com.azure.core.util.BinaryData;
import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import com.azure.messaging.servicebus.ServiceBusMessage;
import com.azure.messaging.servicebus.ServiceBusReceivedMessage;
import com.azure.messaging.servicebus.ServiceBusReceiverClient;
import com.azure.messaging.servicebus.models.DeadLetterOptions;
import com.azure.messaging.servicebus.models.SubQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A small shop on Azure Service Bus. */
public class Shop {
    record Order(Integer id, boolean paid) {}

    record Event(int id) {}

    record Step(String customer, String text) {}

    // region: place
    /** Puts orders into the queue, each as JSON: an id, and whether it is paid. */
    static void placeOrders(ServiceBusClientBuilder client, Order... orders) {
        try (var sender = client.sender().queueName("orders").buildClient()) {
            for (var order : orders) {
                var message = new ServiceBusMessage(BinaryData.fromObject(order));
                sender.sendMessage(message.setContentType("application/json"));
            }
        }
    }
    // endregion

    // region: receive
    /** Waits for the next message. */
    static ServiceBusReceivedMessage receive(ServiceBusReceiverClient receiver) {
        var messages = receiver.receiveMessages(1, Duration.ofSeconds(10)).stream();
        return messages.findFirst().orElseThrow(() -> new IllegalStateException(
                receiver.getEntityPath() + ": no message has come in 10 seconds"));
    }
    // endregion

    // region: process
    /** Makes an event of each order. One without an id becomes a dead letter. */
    static void processOrders(ServiceBusClientBuilder client, int count) {
        try (var receiver = client.receiver().queueName("orders").buildClient();
                var sender = client.sender().topicName("order-events").buildClient()) {
            for (int taken = 0; taken < count; taken++) {
                var message = receive(receiver);
                var order = message.getBody().toObject(Order.class);
                if (order.id() == null) {
                    receiver.deadLetter(message, new DeadLetterOptions()
                            .setDeadLetterReason("unreadable")
                            .setDeadLetterErrorDescription("the order has no id"));
                    System.out.println("an order is dead-lettered");
                    continue;
                }
                var event = new ServiceBusMessage(BinaryData.fromObject(new Event(order.id())));
                sender.sendMessage(event.setSubject(order.paid() ? "paid" : "unpaid"));
                receiver.complete(message);
                System.out.println("order " + order.id() + " is processed");
            }
        }
    }
    // endregion

    // region: mend
    /** Looks at a dead letter, and places its order again, now with an id. */
    static void mendOrder(ServiceBusClientBuilder client, int id) {
        try (var receiver = client.receiver().queueName("orders").subQueue(SubQueue.DEAD_LETTER_QUEUE).buildClient()) {
            var message = receive(receiver);
            System.out.println("dead letter: " + message.getDeadLetterReason() + ", "
                    + message.getDeadLetterErrorDescription());
            placeOrders(client, new Order(id, message.getBody().toObject(Order.class).paid()));
            receiver.complete(message);
        }
        System.out.println("order " + id + " is placed again");
    }
    // endregion

    // region: events
    /** Takes events from a subscription. */
    static List<String> readEvents(ServiceBusClientBuilder client, String subscription, int count) {
        var events = new ArrayList<String>();
        var subscriptionOf = client.receiver().topicName("order-events").subscriptionName(subscription);
        try (var receiver = subscriptionOf.buildClient()) {
            while (events.size() < count) {
                var message = receive(receiver);
                var event = message.getBody().toObject(Event.class);
                events.add("order " + event.id() + " is " + message.getSubject());
                receiver.complete(message);
            }
        }
        return events;
    }
    // endregion

    // region: session
    /** Sends each step into the session of its customer. */
    static void sendSteps(ServiceBusClientBuilder client, Step... steps) {
        try (var sender = client.sender().queueName("customers").buildClient()) {
            for (var step : steps) {
                sender.sendMessage(new ServiceBusMessage(step.text()).setSessionId(step.customer()));
            }
        }
    }

    /** Takes the steps of one customer. Nobody else gets any of them meanwhile. */
    static List<String> serveCustomer(ServiceBusClientBuilder client, String customer, int count) {
        var steps = new ArrayList<String>();
        try (var sessions = client.sessionReceiver().queueName("customers").buildClient();
                var receiver = sessions.acceptSession(customer)) {
            while (steps.size() < count) {
                var message = receive(receiver);
                steps.add(message.getBody().toString());
                receiver.complete(message);
            }
        }
        return steps;
    }
    // endregion

    public static void main(String[] arguments) {
        var connectionString = System.getenv("SERVICEBUS_CONNECTION_STRING");
        var client = new ServiceBusClientBuilder().connectionString(connectionString);
        placeOrders(client, new Order(1, true), new Order(2, false), new Order(null, true));
        processOrders(client, 3);
        mendOrder(client, 3);
        processOrders(client, 1);
        readEvents(client, "audit", 3).forEach(event -> System.out.println("audit: " + event));
        readEvents(client, "mail", 2).forEach(event -> System.out.println("mail: " + event));
        sendSteps(client, new Step("anna", "registers"), new Step("ben", "registers"),
                new Step("anna", "orders"), new Step("anna", "pays"));
        serveCustomer(client, "anna", 3).forEach(step -> System.out.println("anna " + step));
        serveCustomer(client, "ben", 1).forEach(step -> System.out.println("ben " + step));
    }
}
