package dev.weir.bench.figures;

import dev.weir.driver.GroupNumbers;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The records that had come to a group at any recent time, as a thread of its own notes it: who hears of an interval
 * may have been busy when that ended. {@link #at} belongs to one thread.
 */
public final class GroupPulse implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Supplier<Look> now;
    private final Queue<Look> looks = new ConcurrentLinkedQueue<>(); // in the order of their times
    private @Nullable Thread looking;

    /** Number of records that had come by then, each once, and number of repeats if that is known. */
    public record Look(long nanos, long came, long again) {
        public static Look at(GroupNumbers numbers) {
            return new Look(System.nanoTime(), numbers.came(), numbers.again());
        }
    }

    public GroupPulse(Supplier<Look> now) {
        this.now = now;
    }

    /** Notes from now on. */
    public void start() {
        looking = Thread.ofVirtual().name("bench-group-pulse").start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                note();
                LockSupport.parkNanos(LOOK_NANOS);
            }
        });
    }

    void note() {
        looks.add(now.get());
    }

    /** First reading since that time, which is no earlier than the time of the previous call. */
    public Look at(long nanos) {
        for (Look next = looks.peek(); next != null; next = looks.peek()) {
            if (next.nanos() - nanos >= 0) {
                return next;
            }
            looks.remove();
        }
        return now.get();
    }

    /** Notes no more. */
    @Override
    public void close() {
        if (looking != null) {
            looking.interrupt();
        }
    }
}
