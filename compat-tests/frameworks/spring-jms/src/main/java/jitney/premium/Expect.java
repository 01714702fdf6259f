// The one assertion of the scenarios.

package jitney.premium;

import java.util.Objects;

final class Expect {
    private Expect() {}

    static void equal(String what, Object expected, Object seen) {
        if (!Objects.equals(expected, seen)) {
            throw new AssertionError(what + ": expected " + expected + ", and it is " + seen);
        }
    }
}
