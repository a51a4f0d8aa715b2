package dev.weir.spring;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.OnClose;
import dev.weir.kafka.OutOfRangePolicy;
import dev.weir.kafka.ProducePath;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties {@code weir.*}. Immutable. Unknown properties in a file or argument are refused; Spring Boot does not
 * detect unknown ones in environment variables or system properties.
 *
 * @param onFailure whether the application ends when a pipeline fails, or continues with its liveness down
 * @param consumer settings of consumers, overriding spring.kafka
 * @param producer settings of producers, overriding spring.kafka
 * @param console the page of each pipeline
 * @param metrics the meters of the pipelines in the application's registry
 * @param pipelines settings of single pipelines, by the name of their bean
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
     * Weir's own consumer settings that can be written as text. Settings that are null have Weir's default.
     *
     * @param groupId group of the consumers
     * @param preset defaults for several settings, overridden by all others: throughput, latency or low-memory
     * @param commitInterval longest wait of finished work for its commit
     * @param commitRecords number of finished records that triggers an earlier commit
     * @param maxOutstandingRecords unfinished records of a partition at which fetching it pauses
     * @param bufferBytes memory for fetched and unfinished records, over all partitions
     * @param revokeDeadline longest wait of a rebalance for unfinished records of revoked partitions
     * @param outOfRange policy if the next offset to read does not exist
     * @param connectTimeout longest wait of a start for a broker's answer; 0 skips the check
     * @param commitMetadataChars largest size of a commit's metadata, in characters
     * @param fetch the fetcher of records
     * @param fetchThreads number of fetch threads of a consumer on the lean path
     * @param onClose whether a closing member leaves its group
     * @param maxBatchBytes largest decompressed batch on the lean path, and largest record on the client path
     * @param unreadableBatches policy for larger or corrupt batches
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
            @Nullable OnClose onClose,
            @Nullable DataSize maxBatchBytes,
            ConsumerSettings.@Nullable UnreadableBatches unreadableBatches,
            @DefaultValue Map<String, String> properties) {}

    /**
     * Settings of producers.
     *
     * @param produce the writer of records
     * @param properties properties of the Kafka client
     */
    record Producer(
            @Nullable ProducePath produce, @DefaultValue Map<String, String> properties) {}

    /**
     * Settings of the consoles: each pipeline has one of its own.
     *
     * @param enabled whether each pipeline has a console
     * @param port port of the first pipeline in alphabetical order; the others use the following ports; 0 picks free
     *     ports
     * @param host the address to listen on; beyond loopback a token is needed
     * @param token required by each request for data, at least 16 characters
     */
    record Console(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("0") int port,
            @DefaultValue("127.0.0.1") String host,
            @Nullable String token) {

        /** Describes the settings without the token, because they are logged. */
        @Override
        public String toString() {
            return "Console[enabled=" + enabled + ", port=" + port + ", host=" + host + "]";
        }
    }

    /**
     * Settings of the meters.
     *
     * @param enabled whether the pipelines and dispatchers have meters in the application's registry
     * @param partitionTags whether each assigned partition has meters as well
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
