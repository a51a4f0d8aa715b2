package dev.weir.spring;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.OnClose;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.ProducePath;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code weir.*}. Immutable. Unknown properties in a file or argument are refused; Spring Boot does not
 * detect unknown properties in environment variables or system properties.
 *
 * @param onFailure whether a pipeline's failure ends the application, or only sets the application's liveness to down
 * @param consumer settings of consumers, which override spring.kafka
 * @param producer settings of producers, which override spring.kafka
 * @param console settings of the pipelines' consoles
 * @param metrics settings of the pipelines' meters in the application's registry
 * @param pipelines settings of individual pipelines, by bean name
 */
@ConfigurationProperties(prefix = "weir", ignoreUnknownFields = false)
record WeirProperties(
        @DefaultValue("shutdown") OnFailure onFailure,
        @DefaultValue Consumer consumer,
        @DefaultValue Producer producer,
        @DefaultValue Console console,
        @DefaultValue Metrics metrics,
        @DefaultValue Map<String, PipelineProperties> pipelines) {

    /**
     * The consumer settings of Weir that can be written as text. If a setting is null, Weir's default applies.
     *
     * @param groupId the consumer group
     * @param preset defaults for several settings, which individual settings override: throughput, latency or
     *     low-memory
     * @param commitInterval the maximum delay between finishing a record and committing it
     * @param commitRecords the number of finished records that triggers an early commit
     * @param maxOutstandingRecords the maximum number of unfinished records per partition; at this limit, fetching from
     *     the partition pauses
     * @param bufferBytes the memory for fetched and unfinished records of all partitions
     * @param revokeDeadline how long a rebalance waits for unfinished records of revoked partitions
     * @param outOfRange the policy for a partition whose next offset to read does not exist
     * @param connectTimeout how long the start waits for a response from a broker; 0 skips the check
     * @param commitMetadataChars the maximum size of a commit's metadata, in characters
     * @param fetch the implementation that fetches records
     * @param fetchThreads the number of threads that fetch for a consumer on the lean path
     * @param fetchCpus the CPU of each fetch thread
     * @param onClose whether a member leaves its group when the consumer ends
     * @param maxBatchBytes the maximum size of a decompressed batch on the lean path, and of a key or value on the
     *     client path
     * @param unreadableBatches the policy for batches that exceed {@code maxBatchBytes} or are corrupt
     * @param properties properties of the Kafka client
     */
    record Consumer(
            @Nullable String groupId,
            @Nullable String preset,
            @Nullable Duration commitInterval,
            @Nullable Integer commitRecords,
            @Nullable Integer maxOutstandingRecords,
            @Nullable DataSize bufferBytes,
            @Nullable Duration revokeDeadline,
            @Nullable OutOfRangePolicy outOfRange,
            @Nullable Duration connectTimeout,
            @Nullable Integer commitMetadataChars,
            @Nullable FetchPath fetch,
            @Nullable Integer fetchThreads,
            @Nullable List<Integer> fetchCpus,
            @Nullable OnClose onClose,
            @Nullable DataSize maxBatchBytes,
            ConsumerSettings.@Nullable UnreadableBatches unreadableBatches,
            @DefaultValue Map<String, String> properties) {}

    /**
     * Settings of producers.
     *
     * @param produce the implementation that writes records
     * @param properties properties of the Kafka client
     */
    record Producer(
            @Nullable ProducePath produce, @DefaultValue Map<String, String> properties) {}

    /**
     * Settings of the consoles. Each pipeline has its own console.
     *
     * @param enabled whether each pipeline has a console
     * @param port the port of the first pipeline in alphabetical order; the others use the ports that follow; 0 chooses
     *     free ports
     * @param host the address to listen on; an address other than loopback requires a token
     * @param token the token that each request for data must contain, at least 16 characters
     */
    record Console(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("0") int port,
            @DefaultValue("127.0.0.1") String host,
            @Nullable String token) {

        /** Formats the settings without the token, because they are logged. */
        @Override
        public String toString() {
            return "Console[enabled=" + enabled + ", port=" + port + ", host=" + host + "]";
        }
    }

    /**
     * Settings of the meters.
     *
     * @param enabled whether pipelines and dispatchers have meters in the application's registry
     * @param partitionTags whether there are also meters for each assigned partition
     */
    record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("false") boolean partitionTags) {}

    /**
     * Settings of one pipeline.
     *
     * @param autoStart whether the pipeline starts with the application
     */
    record PipelineProperties(@DefaultValue("true") boolean autoStart) {}
}
