package dev.weir.bench.result;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Shows whether each record was delivered exactly once and in order. Immutable, thread-safe.
 *
 * @param expected the number of distinct records that had to be delivered
 * @param delivered the number of deliveries, including duplicates
 * @param outOfOrder the number of records delivered after a later record of the same partition, or of the same key if
 *     the scenario guarantees order by key; 0 if the scenario guarantees no order
 * @param retried the number of handler calls that failed and were repeated
 * @param redelivered the number of repeated deliveries in scenarios that allow them (share groups and at-least-once
 *     copying)
 * @param topics a ledger for each topic, if there are several. These ledgers do not count failed handler calls.
 * @param groups a ledger for each group, if there are several
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

    /**
     * Replaces null with an empty list, because older results were stored without {@code topics} and {@code groups}.
     */
    public Ledger {
        topics = topics == null ? List.of() : List.copyOf(topics);
        groups = groups == null ? List.of() : List.copyOf(groups);
    }

    /** Creates a ledger without failed handler calls and redeliveries. */
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

    /** Adds the ledgers with equal indexes. If one list is empty, returns the other. */
    private static List<Ledger> plus(List<Ledger> some, List<Ledger> others) {
        if (some.isEmpty() || others.isEmpty()) {
            return some.isEmpty() ? others : some;
        }
        return IntStream.range(0, some.size())
                .mapToObj(i -> some.get(i).plus(others.get(i)))
                .toList();
    }

    /** Returns whether no record was lost, duplicated or out of order. */
    public boolean isClean() {
        return lost == 0 && duplicates == 0 && outOfOrder == 0;
    }
}
