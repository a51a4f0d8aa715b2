package planted.stream.internal;

import java.util.concurrent.locks.Condition;

/** Waits on a condition directly, unknown to the engine's clock. */
final class Waits {
    void briefly(Condition condition) throws InterruptedException {
        long leftNanos = 1;
        while (leftNanos > 0) {
            leftNanos = condition.awaitNanos(leftNanos);
        }
    }
}
