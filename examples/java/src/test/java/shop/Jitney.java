package shop;

import com.azure.messaging.servicebus.ServiceBusClientBuilder;
import java.util.UUID;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts one Jitney for all tests, which ends with this process, and hands each test a builder of clients. */
public class Jitney implements ParameterResolver {
    private static final String START =
            "npx jitney --memory --port 0 --http-port off --until-stdin-ends --namespaces auto --config ../Config.json";

    /** The process is kept, because its standard input must stay open. */
    private record Emulator(Process process, String connectionString) {
        static Emulator start(Object key) {
            try {
                var process = new ProcessBuilder(START.split(" ")).redirectError(ProcessBuilder.Redirect.INHERIT).start();
                var connection = process.inputReader().lines().filter(line -> line.startsWith("Connection ")).findFirst();
                return new Emulator(process, connection.orElseThrow().split(" +")[1]);
            } catch (Exception cause) {
                throw new IllegalStateException("Jitney has not started: the reason is in its output", cause);
            }
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ServiceBusClientBuilder.class;
    }

    /** The namespace of the builder's clients is used by no other test: queues, clock and faults are its own. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        var store = context.getRoot().getStore(ExtensionContext.Namespace.GLOBAL);
        var jitney = store.getOrComputeIfAbsent("jitney", Emulator::start, Emulator.class);
        var policy = "RootManageSharedAccessKey@" + UUID.randomUUID();
        return new ServiceBusClientBuilder()
                .connectionString(jitney.connectionString().replace("RootManageSharedAccessKey", policy));
    }
}
