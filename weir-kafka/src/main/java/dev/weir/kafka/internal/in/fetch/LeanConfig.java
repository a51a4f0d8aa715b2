package dev.weir.kafka.internal.in.fetch;

import static dev.weir.kafka.internal.in.fetch.ClientLimits.number;

import dev.weir.lean.LeanSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.ClientDnsLookup;
import org.apache.kafka.clients.ClientUtils;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * Converts the fetch properties of Kafka's client into settings of a lean consumer. Adjusts values outside the lean
 * consumer's range. Stateless.
 */
public final class LeanConfig {

    private static final int KILOBYTE = 1024;
    private static final int MEGABYTE = 1024 * KILOBYTE;

    /** Maximum fetch size. Each connection has two buffers of this size. */
    private static final int MAX_FETCH_BYTES = 8 * MEGABYTE;

    private static final int DEFAULT_BATCH_BYTES = 64 * MEGABYTE;

    private static final int MAX_FETCH_WAIT_MILLIS = 300_000;
    private static final int MAX_AGE_MILLIS = 86_400_000;

    private LeanConfig() {}

    /** Returns the settings of a single consumer with the default batch limit; see {@link #of(Map, int, int)}. */
    public static LeanSettings of(Map<String, Object> config) {
        return of(config, 1, DEFAULT_BATCH_BYTES);
    }

    /** Returns the settings of a single consumer; see {@link #of(Map, int, int)}. */
    public static LeanSettings of(Map<String, Object> config, int maxBatchBytes) {
        return of(config, 1, maxBatchBytes);
    }

    /**
     * Converts the validated configuration of a client.
     *
     * @param consumers number of lean consumers that share the client's fetch limit
     * @param maxBatchBytes limit for a decompressed batch
     */
    static LeanSettings of(Map<String, Object> config, int consumers, int maxBatchBytes) {
        LeanSettings.Builder settings = LeanSettings.builder();
        config.forEach((name, value) -> {
            // Omit the settings of share consumers, which a consumer configuration rejects.
            if (!name.startsWith("share.")) {
                settings.property(name, value instanceof Class<?> type ? type.getName() : String.valueOf(value));
            }
        });
        int fetchBytes = Math.max(
                KILOBYTE,
                clamped(config, ConsumerConfig.FETCH_MAX_BYTES_CONFIG, MAX_FETCH_BYTES, KILOBYTE, MAX_FETCH_BYTES)
                        / consumers);
        int waitMillis = clamped(config, ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 500, 0, MAX_FETCH_WAIT_MILLIS);
        int requestMillis = number(config, ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, 30_000);
        return settings.readCommitted(
                        text(config, ConsumerConfig.ISOLATION_LEVEL_CONFIG, "").equalsIgnoreCase("read_committed"))
                .minFetchBytes(number(config, ConsumerConfig.FETCH_MIN_BYTES_CONFIG, 1))
                .maxFetchWait(Duration.ofMillis(waitMillis))
                .maxFetchBytes(fetchBytes)
                .maxPartitionBytes(clamped(
                        config, ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, MEGABYTE, KILOBYTE, fetchBytes))
                .maxBatchBytes(maxBatchBytes)
                .maxPollRecords(
                        number(config, ConsumerConfig.MAX_POLL_RECORDS_CONFIG, ConsumerConfig.DEFAULT_MAX_POLL_RECORDS))
                .checkCrc(Boolean.parseBoolean(text(config, ConsumerConfig.CHECK_CRCS_CONFIG, "true")))
                .receiveBufferBytes(number(config, ConsumerConfig.RECEIVE_BUFFER_CONFIG, MEGABYTE))
                .requestTimeout(Duration.ofMillis(Math.clamp(requestMillis, waitMillis + 1_000, 3_600_000)))
                .maxBackoff(Duration.ofMillis(
                        clamped(config, ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, 1_000, 10, 300_000)))
                .metadataMaxAge(Duration.ofMillis(
                        clamped(config, ConsumerConfig.METADATA_MAX_AGE_CONFIG, 300_000, 100, MAX_AGE_MILLIS)))
                .build();
    }

    /** Returns the addresses in {@code bootstrap.servers}. */
    public static List<InetSocketAddress> bootstrap(Map<String, Object> config) {
        String servers = text(config, ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, "");
        return ClientUtils.parseAndValidateAddresses(
                List.of(servers.split("\\s*,\\s*")), ClientDnsLookup.USE_ALL_DNS_IPS);
    }

    private static int clamped(Map<String, Object> config, String name, int otherwise, int min, int max) {
        return Math.clamp(number(config, name, otherwise), min, max);
    }

    private static String text(Map<String, Object> config, String name, String otherwise) {
        return String.valueOf(config.getOrDefault(name, otherwise)).trim();
    }
}
