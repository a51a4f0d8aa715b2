package dev.weir.testkit;

import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.KafkaFuture;
import org.jspecify.annotations.Nullable;

/** Waits for changes in the cluster, for at most 30 seconds. May be called from any thread. */
final class Await {
    static final Duration DEADLINE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(20);

    private Await() {}

    /** A condition that the cluster must meet. */
    @FunctionalInterface
    interface Condition {
        /** Returns a description of what is missing; null if nothing is missing. */
        @Nullable
        String missing();
    }

    /** Waits until the condition is met. At the deadline, throws an exception with the description. */
    static void until(String what, Condition condition) {
        long deadlineNanos = System.nanoTime() + DEADLINE.toNanos();
        while (true) {
            String missing = condition.missing();
            if (missing == null) {
                return;
            }
            if (System.nanoTime() >= deadlineNanos) {
                throw new KafkaClusterException(
                        "waited " + DEADLINE.toSeconds() + " s until " + what + ", but: " + missing);
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new KafkaClusterException("interrupted while waiting until " + what);
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Waits for the result of an admin call. */
    static <T> T get(String what, KafkaFuture<T> future) {
        try {
            return future.get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            throw new KafkaClusterException(what + ": " + (cause == null ? e : cause).getMessage(), cause);
        } catch (TimeoutException e) {
            throw new KafkaClusterException(what + ": no answer within " + DEADLINE.toSeconds() + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaClusterException("interrupted: " + what, e);
        }
    }
}
