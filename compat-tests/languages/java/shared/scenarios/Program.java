// Runs scenarios one after the other and prints one line of JSON for each; all programs in Java share it.
package scenarios;

import java.io.PrintStream;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

final class Program {
    /** Less than what the runner waits, so that the reason is told by the program itself. */
    private static final long LIMIT_SECONDS = 55;

    private Program() {}

    /** Runs the scenarios with the ids given; ends the process, as threads of the libraries would keep it for a while. */
    static void run(String[] ids, Map<String, Scenario> scenarios) throws Exception {
        PrintStream answers = System.out;
        // The output of a library is no answer.
        System.setOut(System.err);
        Trust.install();
        for (String id : ids) answers.println(answerOf(id, scenarios.get(id)));
        System.exit(0);
    }

    static String setting(String name) {
        String value = System.getenv(name);
        if (value == null) throw new IllegalStateException("the environment has no " + name);
        return value;
    }

    private static String answerOf(String id, Scenario scenario) throws InterruptedException {
        if (scenario == null) return failed(id, "this program does not know the scenario");
        FutureTask<Void> task = new FutureTask<>(() -> {
            scenario.run();
            return null;
        });
        Thread thread = new Thread(task, id);
        thread.setDaemon(true);
        thread.start();
        try {
            task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            return "{\"scenario\":" + quote(id) + ",\"ok\":true}";
        } catch (TimeoutException error) {
            return failed(id, "not done after " + LIMIT_SECONDS + " s, at " + whereIs(thread));
        } catch (ExecutionException error) {
            if (error.getCause() instanceof LeftOut why) {
                return "{\"scenario\":" + quote(id) + ",\"leftOut\":" + quote(why.getMessage()) + "}";
            }
            error.getCause().printStackTrace();
            return failed(id, String.valueOf(error.getCause()));
        }
    }

    private static String whereIs(Thread thread) {
        for (StackTraceElement frame : thread.getStackTrace()) {
            if (frame.getClassName().startsWith("scenarios.")) return frame.toString();
        }
        return "an unknown place";
    }

    private static String failed(String id, String detail) {
        return "{\"scenario\":" + quote(id) + ",\"ok\":false,\"detail\":" + quote(detail) + "}";
    }

    private static String quote(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (char character : text.toCharArray()) {
            if (character == '"' || character == '\\') quoted.append('\\').append(character);
            else if (character < ' ') quoted.append(String.format("\\u%04x", (int) character));
            else quoted.append(character);
        }
        return quoted.append('"').toString();
    }
}
