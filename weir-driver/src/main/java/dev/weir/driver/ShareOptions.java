package dev.weir.driver;

import java.util.Map;

/**
 * What a workload may say of share groups, among the options of its scenario. The driver reads some of it; the harness sets
 * the group's own settings before each pass and removes them after it. Stateless.
 */
public final class ShareOptions {
    /** How many share consumers the official client's drivers have; 0: one for each worker. */
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

    /** A text that leaves the choice to the driver. */
    public static final String OWN = "own";

    private ShareOptions() {}

    /** A number among these options; 0 if it is not said. */
    public static int number(Map<String, String> options, String name) {
        return Integer.parseInt(options.getOrDefault(name, "0"));
    }
}
