package dev.weir.bench.live;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Expands a workload file's plan of evenly spaced faults into timeline entries. Stateless.
 *
 * <pre>
 * faults: {from: 20s, every: 30s, times: 6, seed: 7, of: [{kill: 1}, {join: 1}, {freeze: 1 for 12s}]}
 * </pre>
 */
public final class FaultPlan {
    private static final int MOST_TIMES = 1000;
    private static final double MOST_MILLIS = 24 * 3600e3;
    private static final List<String> KEYS = List.of("from", "every", "times", "seed", "of");

    private FaultPlan() {}

    /**
     * Returns the entries of a plan. The faults are repeated in the given order. With a seed, they are shuffled
     * reproducibly in every round instead.
     *
     * @param fields {@code from}, {@code every}, {@code times} and {@code seed}; without {@code times}, each fault
     *     occurs once
     * @param of the faults
     * @throws IllegalArgumentException if a key is wrong; the message names the key
     */
    public static List<TimelineEntry> entries(Map<String, String> fields, List<Order> of) {
        for (String key : fields.keySet()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                        "there is no key " + key + " of faults: there are " + String.join(", ", KEYS));
            }
        }
        if (of.isEmpty()) {
            throw new IllegalArgumentException("faults needs of, a list such as [{kill: 1}, {join: 1}]");
        }
        double from = time(fields, "from", 0);
        double every = time(fields, "every", 1000);
        int times = number(fields, "times", of.size(), MOST_TIMES);
        if (times == 0) {
            throw new IllegalArgumentException("times of faults must be at least 1: times=0");
        }
        Random random = new Random(number(fields, "seed", 0, Integer.MAX_VALUE));
        List<TimelineEntry> entries = new ArrayList<>();
        List<Order> turn = new ArrayList<>(of);
        for (int i = 0; i < times; i++) {
            if (i % of.size() == 0 && fields.containsKey("seed")) {
                Collections.shuffle(turn, random);
            }
            entries.add(new TimelineEntry(from + i * every, turn.get(i % of.size()), 0, Map.of()));
        }
        return entries;
    }

    private static double time(Map<String, String> fields, String key, double least) {
        String text = fields.get(key);
        if (text == null) {
            throw new IllegalArgumentException("faults needs " + key + ", a time such as 30s");
        }
        return Spans.millis(key, text, least, MOST_MILLIS);
    }

    private static int number(Map<String, String> fields, String key, int fallback, int most) {
        String text = fields.get(key);
        if (text == null) {
            return fallback;
        }
        if (!text.matches("\\d{1,9}") || Integer.parseInt(text) > most) {
            throw new IllegalArgumentException(
                    key + " of faults must be a whole number from 0 to " + most + ": " + key + "=" + text);
        }
        return Integer.parseInt(text);
    }

    /** Merges two lists by time. At equal times, the entries of {@code timeline} come first. */
    public static List<TimelineEntry> merged(List<TimelineEntry> timeline, List<TimelineEntry> plan) {
        List<TimelineEntry> all = new ArrayList<>(timeline);
        all.addAll(plan);
        all.sort(Comparator.comparingDouble(TimelineEntry::atMillis)); // The sort is stable.
        return List.copyOf(all);
    }
}
