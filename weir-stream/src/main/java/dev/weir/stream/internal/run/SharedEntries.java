package dev.weir.stream.internal.run;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The stage entries of nested streams, by stage name. All streams of an operator share them, so the list of a run's
 * stages does not grow with the number of streams. Thread-safe.
 */
final class SharedEntries {

    private final Map<String, StageEntry> entries = new ConcurrentHashMap<>();
    private final Map<String, SharedEntries> within = new ConcurrentHashMap<>();

    StageEntry entry(String name, Supplier<StageEntry> make) {
        return entries.computeIfAbsent(name, first -> make.get());
    }

    /** Returns the entries of the streams inside the stage {@code place}. */
    SharedEntries within(String place) {
        return within.computeIfAbsent(place, first -> new SharedEntries());
    }
}
