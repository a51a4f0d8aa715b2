package dev.weir.stream;

/**
 * The counters of one dispatcher at one moment. Tasks are segments, workers and lanes, not elements.
 *
 * @param name the dispatcher's name
 * @param kind how it makes threads
 * @param size its threads at most, {@link Integer#MAX_VALUE} for virtual ones
 * @param threads threads that it has now; for virtual ones those that run a task
 * @param active tasks that run
 * @param queued tasks that wait for a thread
 * @param completed tasks that have ended
 */
public record DispatcherSnapshot(
        String name, Dispatcher.Kind kind, int size, int threads, long active, long queued, long completed) {}
