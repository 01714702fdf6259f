// Compares what was seen with what the service would show, and says both where they differ.
package scenarios;

import java.util.Arrays;
import java.util.Objects;

final class Expect {
    private Expect() {}

    static void equal(String subject, Object expected, Object seen) {
        if (Objects.deepEquals(expected, seen)) return;
        throw new AssertionError(subject + ": expected " + show(expected) + ", saw " + show(seen));
    }

    static void that(boolean holds, String otherwise) {
        if (!holds) throw new AssertionError(otherwise);
    }

    /** The failure of a call that must fail, of the kind given. */
    static <Failure extends Throwable> Failure failure(Class<Failure> kind, String call, Scenario action) {
        try {
            action.run();
        } catch (Throwable error) {
            if (kind.isInstance(error)) return kind.cast(error);
            throw new AssertionError(call + " failed with another error than expected: " + error, error);
        }
        throw new AssertionError(call + " did not fail");
    }

    private static String show(Object value) {
        if (value == null) return "null";
        String text = value instanceof byte[] bytes ? Arrays.toString(bytes) : value.toString();
        return text + " (" + value.getClass().getSimpleName() + ")";
    }
}
