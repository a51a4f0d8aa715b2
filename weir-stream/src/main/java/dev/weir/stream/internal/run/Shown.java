package dev.weir.stream.internal.run;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The entries that show for all streams of a nest, by name. Shared with the nests at the same place of other streams, so that what
 * a run shows does not grow with the streams in it. Thread-safe.
 */
final class Shown {

    private final Map<String, StageEntry> entries = new ConcurrentHashMap<>();
    private final Map<String, Shown> within = new ConcurrentHashMap<>();

    StageEntry entry(String name, Supplier<StageEntry> make) {
        return entries.computeIfAbsent(name, first -> make.get());
    }

    /** For the nest that each of the streams has at {@code place}. */
    Shown within(String place) {
        return within.computeIfAbsent(place, first -> new Shown());
    }
}
