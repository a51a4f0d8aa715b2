package planted.stream.internal;

import java.util.concurrent.locks.Condition;

/** Waits on a condition behind the clock's back. */
final class Waits {
    long briefly(Condition condition) throws InterruptedException {
        return condition.awaitNanos(1);
    }
}
