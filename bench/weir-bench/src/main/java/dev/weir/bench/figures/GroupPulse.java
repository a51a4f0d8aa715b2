package dev.weir.bench.figures;

import dev.weir.driver.GroupNumbers;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Samples a group's delivery count on its own thread, because the thread that receives interval reports may lag.
 * {@link #at} belongs to one thread.
 */
public final class GroupPulse implements AutoCloseable {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Supplier<Look> now;
    private final Queue<Look> looks = new ConcurrentLinkedQueue<>(); // in the order of their times
    private @Nullable Thread looking;

    /**
     * A sample at one moment: the number of distinct records received so far, and the number of repeated records if
     * known.
     */
    public record Look(long nanos, long came, long again) {
        public static Look at(GroupNumbers numbers) {
            return new Look(System.nanoTime(), numbers.came(), numbers.again());
        }
    }

    public GroupPulse(Supplier<Look> now) {
        this.now = now;
    }

    /** Starts sampling. */
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

    /** Returns the first sample at or after that time. Times must not decrease from call to call. */
    public Look at(long nanos) {
        for (Look next = looks.peek(); next != null; next = looks.peek()) {
            if (next.nanos() - nanos >= 0) {
                return next;
            }
            looks.remove();
        }
        return now.get();
    }

    /** Stops sampling. */
    @Override
    public void close() {
        if (looking != null) {
            looking.interrupt();
        }
    }
}
