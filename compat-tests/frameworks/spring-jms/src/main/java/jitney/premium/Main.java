// The tier premium, which has JMS 2.0: `first` runs the scenarios; `again`, a later process, sends to the topic without listeners and then starts them.

package jitney.premium;

import jakarta.jms.ConnectionFactory;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.jms.annotation.EnableJms;
import org.springframework.jms.config.DefaultJmsListenerContainerFactory;

@SpringBootApplication
@EnableJms
public class Main {
    static final String WITHOUT_LISTENERS = "without-listeners";

    public static void main(String[] words) throws InterruptedException {
        boolean isGood;
        if (words[0].equals("first")) {
            try (var context = start()) {
                isGood = context.getBean(Scenarios.class).runAll();
            }
        } else {
            try (var context = start("--spring.profiles.active=" + WITHOUT_LISTENERS)) {
                context.getBean(Scenarios.class).sendMeanwhile();
            }
            try (var context = start()) {
                isGood = context.getBean(Scenarios.class).runAgain();
            }
        }
        System.exit(isGood ? 0 : 1);
    }

    private static ConfigurableApplicationContext start(String... words) {
        var application = new SpringApplication(Main.class);
        // At the level `warn`, each listener that throws prints a stack trace.
        application.setDefaultProperties(Map.of("logging.level.root", "error", "spring.main.banner-mode", "off"));
        return application.run(words);
    }

    // region: factories
    @Bean
    DefaultJmsListenerContainerFactory sharedDurable(ConnectionFactory connectionFactory) {
        return sharedFactory(connectionFactory, true);
    }

    @Bean
    DefaultJmsListenerContainerFactory shared(ConnectionFactory connectionFactory) {
        return sharedFactory(connectionFactory, false);
    }

    private static DefaultJmsListenerContainerFactory sharedFactory(ConnectionFactory connectionFactory, boolean isDurable) {
        var factory = new DefaultJmsListenerContainerFactory();
        factory.setConnectionFactory(connectionFactory);
        factory.setSessionTransacted(true);
        factory.setPubSubDomain(true);
        factory.setSubscriptionShared(true);
        factory.setSubscriptionDurable(isDurable);
        return factory;
    }
    // endregion
}
