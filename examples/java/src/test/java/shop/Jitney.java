package shop;

import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Hands each test a namespace of its own. All are in one Jitney: that of `jitney exec`, or one that ends with this process. */
public class Jitney implements ParameterResolver {
    private static final String START =
            "npx jitney --memory --port 0 --http-port off --until-stdin-ends --namespaces auto --config ";

    /** A namespace that no other test uses: queues, clock and faults are its own. */
    public record Namespace(String connectionString) {
        ServiceBusClientBuilder client() {
            return new ServiceBusClientBuilder().connectionString(connectionString);
        }
    }

    /** Beside the pom.xml, or one folder above. */
    private static final String CONFIG = Stream.of("Config.json", "../Config.json")
            .filter(file -> Files.exists(Path.of(file))).findFirst().orElse("Config.json");

    /** The process is kept, because its standard input must stay open. */
    private record Emulator(Process process, String connectionString) {
        static Emulator start(Object key) {
            var running = System.getenv("SERVICEBUS_CONNECTION_STRING");
            var isJitney = running != null && running.contains("UseDevelopmentEmulator=true"); // a namespace of Azure is left alone
            if (isJitney) return new Emulator(null, running);
            try {
                var command = (START + CONFIG).split(" ");
                var process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
                var connection = process.inputReader().lines().filter(line -> line.startsWith("Connection ")).findFirst();
                return new Emulator(process, connection.orElseThrow().split(" +")[1]);
            } catch (Exception cause) {
                throw new IllegalStateException("Jitney has not started: the reason is in its output", cause);
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Namespace.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var store = context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL);
        var jitney = store.getOrComputeIfAbsent("jitney", Emulator::start, Emulator.class);
        var policy = "RootManageSharedAccessKey@" + UUID.randomUUID();
        return new Namespace(jitney.connectionString().replace("RootManageSharedAccessKey", policy));
    }
}
