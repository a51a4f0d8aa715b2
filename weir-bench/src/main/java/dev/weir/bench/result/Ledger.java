package dev.weir.bench.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Tells whether each record came once and in its order. Immutable, thread-safe.
 *
 * @param expected how many distinct records there were to deliver
 * @param delivered how many deliveries there were, duplicates included
 * @param outOfOrder deliveries after a later one of the same partition, or key where the scenario promises order by
 *     key; 0 where it promises none
 * @param retried calls of handlers that failed and were repeated
 * @param redelivered deliveries of what had come before, where that is allowed (share groups, copy at least once)
 * @param topics the same of each topic, where there are several: but for {@code retried}, which is of all
 * @param groups the same of each group, where there are several
 */
public record Ledger(
        long expected,
        long delivered,
        long lost,
        long duplicates,
        long outOfOrder,
        long retried,
        long redelivered,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Ledger> topics,
        @JsonInclude(JsonInclude.Include.NON_EMPTY) List<Ledger> groups) {

    /** An empty ledger. */
    public static final Ledger NONE = new Ledger(0, 0, 0, 0, 0);

    /** Older results have neither. */
    public Ledger {
        topics = topics == null ? List.of() : List.copyOf(topics);
        groups = groups == null ? List.of() : List.copyOf(groups);
    }

    /** A ledger without failed handlers and repeated deliveries. */
    public Ledger(long expected, long delivered, long lost, long duplicates, long outOfOrder) {
        this(expected, delivered, lost, duplicates, outOfOrder, 0, 0, List.of(), List.of());
    }

    /** Adds two ledgers. */
    public Ledger plus(Ledger other) {
        return new Ledger(
                expected + other.expected,
                delivered + other.delivered,
                lost + other.lost,
                duplicates + other.duplicates,
                outOfOrder + other.outOfOrder,
                retried + other.retried,
                redelivered + other.redelivered,
                plus(topics, other.topics),
                plus(groups, other.groups));
    }

    /** A run that failed has none. */
    private static List<Ledger> plus(List<Ledger> some, List<Ledger> others) {
        if (some.isEmpty() || others.isEmpty()) {
            return some.isEmpty() ? others : some;
        }
        return IntStream.range(0, some.size())
                .mapToObj(i -> some.get(i).plus(others.get(i)))
                .toList();
    }

    /** Returns whether nothing was lost, doubled or out of order. */
    public boolean isClean() {
        return lost == 0 && duplicates == 0 && outOfOrder == 0;
    }
}
