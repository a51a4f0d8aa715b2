package dev.weir.stream.internal.operator;

import dev.weir.stream.spi.Stage;

/** Looks at the deadline of a pull between batches that come to nothing. Stateless. */
final class Deadline {

    private Deadline() {}

    static boolean passed(long deadlineNanos) {
        return deadlineNanos != Stage.NEVER && System.nanoTime() - deadlineNanos >= 0;
    }
}
