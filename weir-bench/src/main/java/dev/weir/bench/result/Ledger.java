package dev.weir.bench.result;

/**
 * Whether each record came once and in its order. Immutable, thread-safe.
 *
 * @param expected how many distinct records there were to deliver
 * @param delivered how many deliveries there were, duplicates included
 * @param outOfOrder deliveries after a later one of the same partition, or key where the scenario promises order by key; 0
 *     where it promises none
 * @param retried calls of handlers that failed and were repeated
 * @param redelivered deliveries of what had come before, where that is allowed (share groups, copy at least once)
 */
public record Ledger(
        long expected, long delivered, long lost, long duplicates, long outOfOrder, long retried, long redelivered) {

    /** Nothing expected, nothing delivered. */
    public static final Ledger NONE = new Ledger(0, 0, 0, 0, 0);

    /** Where no handler failed and nothing was delivered again. */
    public Ledger(long expected, long delivered, long lost, long duplicates, long outOfOrder) {
        this(expected, delivered, lost, duplicates, outOfOrder, 0, 0);
    }

    /** Whether nothing was lost, doubled or out of order. */
    public boolean isClean() {
        return lost == 0 && duplicates == 0 && outOfOrder == 0;
    }
}
