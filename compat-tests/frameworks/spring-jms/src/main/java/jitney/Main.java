// Spring Boot's JMS starter: a JmsTemplate sends to a queue, and a JmsListener prints what it receives.

package jitney;

import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.annotation.JmsListener;
import org.springframework.jms.core.JmsTemplate;

import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

@SpringBootApplication
@EnableJms
public class Main {
    private final CountDownLatch received = new CountDownLatch(1);

    public static void main(String[] words) {
        var application = new SpringApplication(Main.class);
        application.setDefaultProperties(Map.of(
            "spring.jms.servicebus.connection-string", System.getenv("SERVICEBUS_CONNECTION_STRING"),
            "spring.jms.servicebus.pricing-tier", "standard"));
        application.run(words).close();
    }

    @Bean
    ApplicationRunner sendAndWait(JmsTemplate jms) {
        return arguments -> {
            jms.convertAndSend("spring", "hello");
            if (!received.await(30, TimeUnit.SECONDS)) throw new IllegalStateException("Nothing came within 30 s.");
        };
    }

    @JmsListener(destination = "spring")
    void receive(String text) {
        System.out.println("received " + text);
        received.countDown();
    }
}
