package dev.weir.stream.internal.run;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The entries of all streams of a nest, by name. Nests at the same place of other streams share them, so that the list
 * of a run's stages does not grow with its streams. Thread-safe.
 */
final class SharedEntries {

    private final Map<String, StageEntry> entries = new ConcurrentHashMap<>();
    private final Map<String, SharedEntries> within = new ConcurrentHashMap<>();

    StageEntry entry(String name, Supplier<StageEntry> make) {
        return entries.computeIfAbsent(name, first -> make.get());
    }

    /** The entries of the nest that each of the streams has at {@code place}. */
    SharedEntries within(String place) {
        return within.computeIfAbsent(place, first -> new SharedEntries());
    }
}
