package dev.weir.driver;

import java.util.Map;

/**
 * A workload's options for share groups. Some of them are read by the driver. The others are settings of the group,
 * which the harness applies before each pass and removes afterwards. Stateless.
 */
public final class ShareOptions {
    /** The number of share consumers in drivers of the official client; 0 for one share consumer per worker. */
    public static final String CONSUMERS = "share.consumers";

    /** {@code max.poll.records} of the official client's share consumers; 0 for the driver's default. */
    public static final String POLL_RECORDS = "share.pollRecords";

    /** {@code share.acquire.mode} of the official client's share consumers; {@link #OWN} for the driver's default. */
    public static final String ACQUIRE = "share.acquire";

    /**
     * {@code share.acknowledgement.mode} of the official client's share consumers; {@link #OWN} for the driver's
     * default.
     */
    public static final String ACKNOWLEDGEMENT = "share.acknowledgement";

    /** {@code share.partition.max.record.locks} of the group; 0 for the brokers' default. */
    public static final String LOCKS = "share.locks";

    /** {@code share.record.lock.duration.ms} of the group; 0 for the brokers' default. */
    public static final String LOCK_MILLIS = "share.lockMillis";

    /** The largest number of records per batch of the topic. This option is set by the harness, not by a workload. */
    public static final String BATCH_RECORDS = "share.batchRecords";

    /** The largest configurable number of members in a share group: {@code group.share.max.size}. */
    private static final int MAX_CONSUMERS = 1000;

    private static final int DEFAULT_LOCKS = 2000;

    /** A value that leaves the choice to the driver. */
    public static final String OWN = "own";

    private ShareOptions() {}

    /**
     * Returns the number of share consumers in a driver of the official client.
     *
     * @throws IllegalArgumentException if brokers do not allow that many in a group
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

    /**
     * Returns the maximum number of acquired records of a partition. The last acquired batch may exceed this number.
     */
    public static int locks(Map<String, String> options) {
        int said = number(options, LOCKS);
        return said == 0 ? DEFAULT_LOCKS : said;
    }

    /** Returns the value of a numeric option; 0 if it is not set. */
    public static int number(Map<String, String> options, String name) {
        return Integer.parseInt(options.getOrDefault(name, "0"));
    }
}
