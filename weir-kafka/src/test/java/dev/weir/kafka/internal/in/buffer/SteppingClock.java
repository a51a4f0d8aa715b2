package dev.weir.kafka.internal.in.buffer;

import dev.weir.stream.spi.Clock;
import dev.weir.stream.spi.Stage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A clock for tests on a single thread. A wait runs the test's next action. Without an action, it advances the time to
 * its deadline. A wait without an action or a deadline is interrupted.
 */
final class SteppingClock implements Clock {

    long nanos;

    /** The deadline of each wait. */
    final List<Long> deadlines = new ArrayList<>();

    final ArrayDeque<Runnable> actions = new ArrayDeque<>();

    @Override
    public long nanoTime() {
        return nanos;
    }

    @Override
    public void await(Lock lock, Condition condition, long deadlineNanos) throws InterruptedException {
        deadlines.add(deadlineNanos);
        Runnable action = actions.poll();
        if (action != null) {
            action.run();
        } else if (deadlineNanos == Stage.NEVER) {
            throw new InterruptedException("nothing ends this wait");
        } else {
            nanos = Math.max(nanos, deadlineNanos);
        }
    }

    /** Waits until the system clock has advanced. */
    static void passRealTime() {
        long start = System.nanoTime();
        while (System.nanoTime() == start) {
            Thread.onSpinWait();
        }
    }
}
