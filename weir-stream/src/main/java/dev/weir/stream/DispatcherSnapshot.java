package dev.weir.stream;

import org.jspecify.annotations.Nullable;

/**
 * The counters of one dispatcher at a point in time, in tasks. A task is a worker of a parallel stage, or a group of
 * fused stages. Immutable.
 */
public final class DispatcherSnapshot {

    private final Values values;

    private DispatcherSnapshot(
            String name, Dispatcher.Kind kind, int size, int threads, long active, long queued, long completed) {
        this.values = new Values(name, kind, size, threads, active, queued, completed);
    }

    /** Creates a snapshot for tests. */
    public static DispatcherSnapshot of(
            String name, Dispatcher.Kind kind, int size, int threads, long active, long queued, long completed) {
        return new DispatcherSnapshot(name, kind, size, threads, active, queued, completed);
    }

    /** The dispatcher's name. */
    public String name() {
        return values.name;
    }

    /** The kind of the dispatcher's threads. */
    public Dispatcher.Kind kind() {
        return values.kind;
    }

    /** Maximum number of threads; {@link Integer#MAX_VALUE} for virtual threads. */
    public int size() {
        return values.size;
    }

    /** Current number of threads. For virtual threads, the number that are running a task. */
    public int threads() {
        return values.threads;
    }

    /** Number of running tasks. */
    public long active() {
        return values.active;
    }

    /** Number of tasks that are waiting for a thread. */
    public long queued() {
        return values.queued;
    }

    /** Number of completed tasks. */
    public long completed() {
        return values.completed;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof DispatcherSnapshot that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString().replaceFirst("Values", "DispatcherSnapshot");
    }

    private record Values(
            String name, Dispatcher.Kind kind, int size, int threads, long active, long queued, long completed) {}
}
