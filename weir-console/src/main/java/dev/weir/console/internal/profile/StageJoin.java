package dev.weir.console.internal.profile;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Assigns samples to stages. A stage run is the time in which a thread processed one batch in a stage. A sample of that
 * thread in that time belongs to that stage. Any other sample belongs to the stage of the samples with the same
 * {@linkplain CallStack#signature signature}. Confined to one thread.
 */
final class StageJoin {

    /** Minimum fraction of the samples with one signature that must belong to one stage. */
    private static final double SURE = 0.9;

    private final Map<Long, List<Joined>> byThread = new HashMap<>();
    private final List<Joined> all = new ArrayList<>();

    /** A sample, and the shortest run that contains it. */
    private static final class Joined {

        final Sample sample;

        @Nullable
        StageRun run;

        long runNanos = Long.MAX_VALUE;

        Joined(Sample sample) {
            this.sample = sample;
        }
    }

    /** Receives each sample with its stage, which is null if unknown. */
    @FunctionalInterface
    interface Found {
        void accept(Sample sample, @Nullable StageRef stage);
    }

    StageJoin(List<Sample> samples) {
        for (Sample sample : samples) {
            Joined joined = new Joined(sample);
            all.add(joined);
            byThread.computeIfAbsent(sample.thread(), thread -> new ArrayList<>())
                    .add(joined);
        }
        byThread.values().forEach(some -> some.sort(Comparator.comparingLong(joined -> joined.sample.atNanos())));
    }

    /**
     * Adds the time in which a thread processed a batch in a stage. Runs may be added in any order. If runs are nested,
     * the shortest one counts.
     */
    void ran(long thread, long fromNanos, long toNanos, StageRun run) {
        List<Joined> some = byThread.getOrDefault(thread, List.of());
        for (int i = firstFrom(some, fromNanos); i < some.size(); i++) {
            Joined joined = some.get(i);
            if (joined.sample.atNanos() > toNanos) {
                return;
            }
            if (toNanos - fromNanos < joined.runNanos) {
                joined.run = run;
                joined.runNanos = toNanos - fromNanos;
            }
        }
    }

    private static int firstFrom(List<Joined> some, long fromNanos) {
        int low = 0;
        int high = some.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (some.get(middle).sample.atNanos() < fromNanos) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Passes each sample with its stage to {@code found}. Must be called after all runs are added. */
    void forEach(Found found) {
        Map<String, Map<StageRef, Integer>> seen = new HashMap<>();
        for (Joined joined : all) {
            if (joined.run != null) {
                seen.computeIfAbsent(joined.sample.stack().signature(), calls -> new HashMap<>())
                        .merge(joined.run.at(joined.sample.stack()), 1, Integer::sum);
            }
        }
        for (Joined joined : all) {
            CallStack stack = joined.sample.stack();
            found.accept(joined.sample, joined.run != null ? joined.run.at(stack) : byCalls(seen, stack.signature()));
        }
    }

    private static @Nullable StageRef byCalls(Map<String, Map<StageRef, Integer>> seen, String signature) {
        Map<StageRef, Integer> stages = seen.getOrDefault(signature, Map.of());
        int total = stages.values().stream().mapToInt(Integer::intValue).sum();
        return signature.isEmpty() || total == 0
                ? null
                : stages.entrySet().stream()
                        .filter(stage -> stage.getValue() >= SURE * total)
                        .map(Map.Entry::getKey)
                        .findFirst()
                        .orElse(null);
    }
}
