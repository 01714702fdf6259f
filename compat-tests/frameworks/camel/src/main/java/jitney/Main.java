// Apache Camel's component azure-servicebus: a template sends to a queue, and a route receives from it.

package jitney;

import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

public class Main {
    public static void main(String[] words) throws Exception {
        var connectionString = System.getenv("SERVICEBUS_CONNECTION_STRING");
        var queue = "azure-servicebus:camel?connectionString=RAW(" + connectionString + ")";
        var received = new CountDownLatch(1);
        try (var camel = new DefaultCamelContext()) {
            camel.addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from(queue).filter(body().isEqualTo("hello")).process(exchange -> received.countDown());
                }
            });
            camel.start();
            try (var producer = camel.createProducerTemplate()) {
                producer.sendBody(queue, "hello");
            }
            if (!received.await(30, TimeUnit.SECONDS)) throw new IllegalStateException("Nothing came within 30 s.");
            System.out.println("good: azure-servicebus sends and receives");
        }
    }
}
