package dev.weir.stream;

import org.jspecify.annotations.Nullable;

/** The counters of one dispatcher at one moment. Tasks are segments, workers, not elements. */
public final class DispatcherSnapshot {

    private final Values values;

    private DispatcherSnapshot(
            String name, Dispatcher.Kind kind, int size, int threads, long active, long queued, long completed) {
        this.values = new Values(name, kind, size, threads, active, queued, completed);
    }

    /** Creates one for tests of code that reads it; in a run the engine creates it. */
    public static DispatcherSnapshot of(
            String name, Dispatcher.Kind kind, int size, int threads, long active, long queued, long completed) {
        return new DispatcherSnapshot(name, kind, size, threads, active, queued, completed);
    }

    /** The dispatcher's name. */
    public String name() {
        return values.name;
    }

    /** The way it makes threads. */
    public Dispatcher.Kind kind() {
        return values.kind;
    }

    /** Its threads at most, {@link Integer#MAX_VALUE} for virtual ones. */
    public int size() {
        return values.size;
    }

    /** Threads that it has now; for virtual ones those that run a task. */
    public int threads() {
        return values.threads;
    }

    /** Tasks that run. */
    public long active() {
        return values.active;
    }

    /** Tasks that wait for a thread. */
    public long queued() {
        return values.queued;
    }

    /** Tasks that have ended. */
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
