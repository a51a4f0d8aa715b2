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
 * The properties {@code weir.*}. Immutable. One that is not here is refused, if it is in a file or an argument: Spring
 * Boot looks for unknown ones neither among environment variables nor among system properties.
 *
 * @param onFailure whether the application ends when a pipeline fails, or goes on with its liveness down
 * @param consumer settings of consumers, over those of spring.kafka
 * @param producer settings of producers, over those of spring.kafka
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
     * The settings of Weir's own that can be written as text. What is not set has Weir's default.
     *
     * @param groupId group of the consumers
     * @param preset several settings at once, over which all others win: throughput, latency or low-memory
     * @param commitInterval how long finished work may wait for its commit
     * @param commitRecords finished records that bring a commit forward
     * @param maxOutstandingRecords unfinished records of a partition at which fetching it pauses
     * @param bufferBytes memory for fetched and unfinished records, over all partitions
     * @param revokeDeadline how long a rebalance waits for unfinished records of the partitions it takes
     * @param outOfRange what happens when the next record to read is not there
     * @param connectTimeout how long a start waits for a broker that answers; 0 does not ask
     * @param commitMetadataChars room for the metadata of a commit
     * @param fetch the fetcher of records
     * @param fetchThreads how many threads fetch for a consumer on the lean path
     * @param onClose whether a member that ends leaves its group
     * @param maxBatchBytes what a batch may become decompressed on the lean path, and a record on the client path
     * @param unreadableBatches what becomes of a batch that is larger, or corrupt
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
     * @param port that of the first pipeline in alphabetical order; the next ones have the ports above it, and 0 is any
     *     free port for each
     * @param host the address to listen on; beyond loopback a token is needed
     * @param token demanded of each request for data, at least 16 characters
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
     * @param partitionTags whether there are meters of each assigned partition as well
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
