package dev.weir.driver;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Tracks the deliveries of a pass: which record numbers arrived, how often and in which order, and which handlers
 * failed. Confined to one thread at a time, except for {@link #attempted}.
 */
final class DeliveryBook {
    // A missing record counts as lost at this distance behind the partition's last delivered record.
    private static final long UNORDERED_BEHIND = 50_000;

    private final HandlerOrder order;
    private final GroupType group;
    private final PartitionLedger[] partitions;
    private final KeyLedger[] keys; // one per topic
    private final Failures failures;
    private final long unorderedBehind;
    private final boolean repeatsCount;

    DeliveryBook(Command.Configure configuration, GroupType group) {
        this.group = group;
        this.order = HandlerOrder.of(configuration.options());
        this.partitions = IntStream.range(0, configuration.partitions())
                .mapToObj(partition -> new PartitionLedger(configuration.recordsPerPartition()))
                .toArray(PartitionLedger[]::new);
        this.keys = TopicSet.names(configuration.topic()).stream()
                .map(topic -> new KeyLedger())
                .toArray(KeyLedger[]::new);
        this.failures = Failures.of(configuration.options());
        this.repeatsCount = group != GroupType.SHARE
                && !Boolean.parseBoolean(configuration.options().get(PassOptions.REPEATS));
        this.unorderedBehind = group == GroupType.SHARE ? shareBehind(configuration.options()) : UNORDERED_BEHIND;
    }

    /**
     * Returns the maximum distance between the first and the last acquired offset of a partition. It is one batch more
     * than twice the limit for acquired records.
     */
    private static long shareBehind(Map<String, String> options) {
        return 2L * ShareOptions.locks(options) + ShareOptions.number(options, ShareOptions.BATCH_RECORDS);
    }

    /**
     * Adds a delivery. Returns false for an allowed repetition, which does not count toward the requested number of
     * records.
     */
    boolean delivered(int partition, long number) {
        return partitions[partition].delivered(number) || repeatsCount;
    }

    /** Adds a delivery to the ledger of its key. */
    void deliveredOfKey(int partition, int key, long number) {
        keys[partition / ofTopic()].delivered(key, number);
    }

    /**
     * Reports that the handler of a record has done its work. Throws if a failure is planned. Any thread may call it,
     * but only one at a time for the same record.
     */
    void attempted(int partition, long number) {
        failures.attempt(partition, number);
    }

    /** The delivered numbers of each partition, in the form of {@link NumberRuns#encoded}. */
    List<String> numbers() {
        return Arrays.stream(partitions)
                .map(partition -> partition.numbers().encoded())
                .toList();
    }

    private int ofTopic() {
        return partitions.length / keys.length;
    }

    /**
     * Returns the counts of delivered and missing records. If {@code complete} is false, records that may be in flight
     * do not count as missing.
     */
    LedgerFigures figures(boolean complete) {
        return LedgerFigures.ofTopics(IntStream.range(0, keys.length)
                        .mapToObj(topic -> figures(topic, complete))
                        .toList())
                .withRetried(failures.count());
    }

    private LedgerFigures figures(int topic, boolean complete) {
        // In a pass that was cut off, undelivered records may be in flight. Without ordering, they are a limited
        // distance behind the last delivered record. With ordering by key, they can be at any distance.
        long behind = switch (order) {
            case PARTITION -> 0;
            case KEY -> Long.MAX_VALUE;
            case NONE -> unorderedBehind;
        };
        LedgerFigures sum = LedgerFigures.NONE;
        for (int partition = topic * ofTopic(); partition < (topic + 1) * ofTopic(); partition++) {
            sum = sum.plus(partitions[partition].figures(complete, behind, failures.waiting(partition)));
        }
        if (group == GroupType.SHARE) {
            return sum.asOfShareGroup();
        }
        return switch (order) {
            case PARTITION -> sum;
            // With ordering by key, only the order within a key counts.
            case KEY -> keys[topic].isUsed() ? sum.withReordered(keys[topic].reordered()) : sum;
            case NONE -> sum.withReordered(0);
        };
    }
}
