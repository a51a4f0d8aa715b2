package dev.weir.kafka.internal.consumer;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * What the client was told that the owner thread has to know. Immutable.
 *
 * @param maxPollRecords records that one poll returns at most
 * @param maxPollInterval how long the group lets a member stay in a callback
 * @param metadataAge how often to look for new topics and partitions where the client does not do so by itself
 */
record ClientLimits(int maxPollRecords, Duration maxPollInterval, Duration metadataAge) {

    /** Reads the configuration of a client that was made with it, so that it is known to be valid. */
    static ClientLimits of(Map<String, Object> clientConfig) {
        return new ClientLimits(
                number(clientConfig, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, ConsumerConfig.DEFAULT_MAX_POLL_RECORDS),
                Duration.ofMillis(number(clientConfig, ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, 300_000)),
                Duration.ofMillis(number(clientConfig, ConsumerConfig.METADATA_MAX_AGE_CONFIG, 30_000)));
    }

    /** A number of the configuration, which may be there as one or as text. */
    static int number(Map<String, Object> config, String name, int otherwise) {
        return Integer.parseInt(
                String.valueOf(config.getOrDefault(name, otherwise)).trim());
    }
}
