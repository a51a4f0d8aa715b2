package dev.weir.bench.cluster;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.jspecify.annotations.Nullable;

/** Share groups that could not be deleted because of killed members. They are deleted later. Confined to one thread. */
final class LeftGroups {
    /** The longest {@code group.share.session.timeout.ms} that brokers allow by default, in nanoseconds. */
    static final long LONGEST_SESSION_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final long sessionNanos;
    private final BooleanSupplier isStopped;
    private final Consumer<String> note;
    private final Map<String, Left> left = new LinkedHashMap<>();

    /**
     * Creates an empty set.
     *
     * @param isStopped returns whether the campaign was stopped; {@link #deleteAll} then no longer waits
     * @param note receives messages about groups that could not be deleted
     */
    LeftGroups(long sessionNanos, BooleanSupplier isStopped, Consumer<String> note) {
        this.sessionNanos = sessionNanos;
        this.isStopped = isStopped;
        this.note = note;
    }

    /**
     * Tries to delete a group. If this fails, {@link #deleteAll} tries again.
     *
     * @param deletion deletes the group; returns the reason if this fails, otherwise null
     */
    void delete(String name, Supplier<@Nullable Throwable> deletion) {
        if (deletion.get() != null) {
            left.put(name, new Left(deletion, System.nanoTime()));
        }
    }

    /** Waits until the members' sessions have timed out, then deletes the remaining groups and forgets them. */
    void deleteAll() {
        left.forEach((name, group) -> {
            Throwable cause = deleted(group);
            if (cause != null) {
                note.accept("share group " + name + " is left over, and no broker forgets it by itself: " + cause);
            }
        });
        left.clear();
    }

    private @Nullable Throwable deleted(Left group) {
        while (true) {
            Throwable cause = group.deletion().get();
            if (!(cause instanceof GroupNotEmptyException)
                    || isStopped.getAsBoolean()
                    || System.nanoTime() - group.sinceNanos() >= sessionNanos) {
                return cause;
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private record Left(Supplier<@Nullable Throwable> deletion, long sinceNanos) {}
}
