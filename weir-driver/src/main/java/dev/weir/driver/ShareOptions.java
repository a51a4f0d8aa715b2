package dev.weir.driver;

import java.util.Map;

/**
 * The options of share groups in a workload. The driver reads some of it; the harness sets the group's own settings
 * before each pass and removes them after it. Stateless.
 */
public final class ShareOptions {
    /** The number of share consumers of the official client's drivers; 0: one for each worker. */
    public static final String CONSUMERS = "share.consumers";

    /** {@code max.poll.records} of these; 0: as the driver has it. */
    public static final String POLL_RECORDS = "share.pollRecords";

    /** {@code share.acquire.mode} of these; {@link #OWN}: as the driver has it. */
    public static final String ACQUIRE = "share.acquire";

    /** {@code share.acknowledgement.mode} of these; {@link #OWN}: as the driver has it. */
    public static final String ACKNOWLEDGEMENT = "share.acknowledgement";

    /** {@code share.partition.max.record.locks} of the group; 0: as the brokers have it. */
    public static final String LOCKS = "share.locks";

    /** {@code share.record.lock.duration.ms} of the group; 0: as the brokers have it. */
    public static final String LOCK_MILLIS = "share.lockMillis";

    /** The number of records a batch of the topic has at most; the harness says so, no workload. */
    public static final String BATCH_RECORDS = "share.batchRecords";

    /** The largest number of members brokers can be set to let into a share group: {@code group.share.max.size}. */
    private static final int MAX_CONSUMERS = 1000;

    /** Locks of a partition that brokers have unless they are told otherwise. */
    private static final int DEFAULT_LOCKS = 2000;

    /** A text that leaves the choice to the driver. */
    public static final String OWN = "own";

    private ShareOptions() {}

    /**
     * The number of share consumers of a driver of the official client.
     *
     * @throws IllegalArgumentException if they are more than brokers let into a group
     */
    public static int consumers(Map<String, String> options, int workers) {
        int said = number(options, CONSUMERS);
        int consumers = said == 0 ? workers : said;
        if (consumers > MAX_CONSUMERS) {
            throw new IllegalArgumentException("one share consumer for each worker makes " + consumers
                    + ", where a group takes " + MAX_CONSUMERS + ": set options." + CONSUMERS
                    + " to that or less, or lower options." + PassOptions.CONCURRENCY);
        }
        return consumers;
    }

    /** The number of records of a partition may be acquired at a time, but for the last batch. */
    public static int locks(Map<String, String> options) {
        int said = number(options, LOCKS);
        return said == 0 ? DEFAULT_LOCKS : said;
    }

    /** A number among these options; 0 if it is not said. */
    public static int number(Map<String, String> options, String name) {
        return Integer.parseInt(options.getOrDefault(name, "0"));
    }
}
