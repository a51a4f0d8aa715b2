package dev.weir.kafka.internal.in.fetch;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * The client's settings that the owner thread has to know. Immutable.
 *
 * @param maxPollRecords records that one poll returns at most
 * @param maxPollInterval how long the group lets a member stay in a callback
 * @param partitionFetchBytes what a fetch brings of a partition at most, unless its first batch is larger
 * @param metadataAge how often to look for new topics and partitions where the client does not do so by itself
 */
public record ClientLimits(
        int maxPollRecords, int partitionFetchBytes, Duration maxPollInterval, Duration metadataAge) {

    /** Limits with the client's own default of what a fetch brings of a partition. */
    public ClientLimits(int maxPollRecords, Duration maxPollInterval, Duration metadataAge) {
        this(maxPollRecords, ConsumerConfig.DEFAULT_MAX_PARTITION_FETCH_BYTES, maxPollInterval, metadataAge);
    }

    /** Reads the configuration of a client that was made with it, so that it is known to be valid. */
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

    /** A number of the configuration, which may be there as one or as text. */
    public static int number(Map<String, Object> config, String name, int otherwise) {
        return Integer.parseInt(
                String.valueOf(config.getOrDefault(name, otherwise)).trim());
    }
}
