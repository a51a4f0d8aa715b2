package dev.weir.kafka.internal.in.fetch;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;

/**
 * The client settings that the owner thread uses. Immutable.
 *
 * @param maxPollRecords maximum number of records returned by a poll
 * @param partitionFetchBytes maximum number of bytes per partition in a fetch, unless the partition's first batch is
 *     larger
 * @param maxPollInterval maximum time that the group allows a member to spend in a callback
 * @param metadataAge interval at which a source without a consumer group looks for new partitions
 */
public record ClientLimits(
        int maxPollRecords, int partitionFetchBytes, Duration maxPollInterval, Duration metadataAge) {

    /** Maximum value of {@code max.poll.records}. A partition's tracker must be able to hold all records of a poll. */
    private static final int MAX_POLL_RECORDS = 1_000_000;

    /** Creates limits with the client's default fetch size per partition. */
    public ClientLimits(int maxPollRecords, Duration maxPollInterval, Duration metadataAge) {
        this(maxPollRecords, ConsumerConfig.DEFAULT_MAX_PARTITION_FETCH_BYTES, maxPollInterval, metadataAge);
    }

    /** Reads the limits from the validated configuration of a client. */
    public static ClientLimits of(Map<String, Object> clientConfig) {
        return new ClientLimits(
                number(clientConfig, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, ConsumerConfig.DEFAULT_MAX_POLL_RECORDS),
                number(
                        clientConfig,
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        ConsumerConfig.DEFAULT_MAX_PARTITION_FETCH_BYTES),
                Duration.ofMillis(number(clientConfig, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 300_000)),
                Duration.ofMillis(number(clientConfig, ConsumerConfig.METADATA_MAX_AGE_CONFIG, 30_000)));
    }

    /** Lowers {@code max.poll.records} to a number that a tracker can hold. */
    public static void limitPolls(Map<String, Object> clientConfig) {
        if (number(clientConfig, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 0) > MAX_POLL_RECORDS) {
            clientConfig.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MAX_POLL_RECORDS);
        }
    }

    /**
     * Reads a setting given as a number or a string, limited to the range of an int. The exception for any other value
     * names the setting.
     */
    public static int number(Map<String, Object> config, String name, int otherwise) {
        Object number = ConfigDef.parseType(name, config.getOrDefault(name, otherwise), ConfigDef.Type.LONG);
        return Math.clamp((Long) number, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
}
