package dev.weir.stream.internal.run;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The stage entries of nested streams, by name. All streams that are nested at the same place share these entries, so
 * that the list of a run's stages does not grow with the number of its streams. Thread-safe.
 */
final class SharedEntries {

    private final Map<String, StageEntry> entries = new ConcurrentHashMap<>();
    private final Map<String, SharedEntries> within = new ConcurrentHashMap<>();

    StageEntry entry(String name, Supplier<StageEntry> make) {
        return entries.computeIfAbsent(name, first -> make.get());
    }

    /** Returns the entries of the streams that are nested at {@code place} within these streams. */
    SharedEntries within(String place) {
        return within.computeIfAbsent(place, first -> new SharedEntries());
    }
}
