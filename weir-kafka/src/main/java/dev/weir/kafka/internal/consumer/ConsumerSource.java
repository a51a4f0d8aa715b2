package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Makes the running form of a committable source: a client, its owner thread, and the stage that pulls from both. */
public final class ConsumerSource<K, V> implements SourceFactory<ConsumerRecord<K, V>> {

    private static final Duration END_OFFSETS_TIMEOUT = Duration.ofSeconds(15);

    private final ConsumerSettings<K, V> settings;
    private final Subscription subscription;

    private final @Nullable ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis;

    public ConsumerSource(ConsumerSettings<K, V> settings, Subscription subscription) {
        this(settings, subscription, null);
    }

    /**
     * A source that emits a record when it is due, and what is behind it in its partition later.
     *
     * @param dueMillis since 1970; null to emit all at once
     */
    public ConsumerSource(
            ConsumerSettings<K, V> settings,
            Subscription subscription,
            @Nullable ToLongFunction<ConsumerRecord<byte[], byte[]>> dueMillis) {
        this.settings = settings;
        this.subscription = subscription;
        this.dueMillis = dueMillis;
    }

    @Override
    public Stage<ConsumerRecord<K, V>> create(StageContext context) {
        Map<String, Object> config = settings.clientConfig();
        Map<TopicPartition, Long> endOffsets = subscription.isUntilEnd() ? endOffsets(config) : Map.of();
        RecordBuffer buffer =
                new RecordBuffer(dueMillis == null ? null : new Delay(dueMillis, java.time.Clock.systemUTC()::millis));
        ConsumerLoop loop = start(config, endOffsets, context, buffer);
        context.onStop(loop::stop);
        context.onTermination(loop::close);
        context.expose(loop);
        context.depth(buffer::records);
        return new SourceStage<>(buffer, settings, context.meter(), loop::stop);
    }

    /** From here on the owner thread closes the client, whatever happens. */
    private ConsumerLoop start(
            Map<String, Object> config,
            Map<TopicPartition, Long> endOffsets,
            StageContext context,
            RecordBuffer buffer) {
        KafkaConsumer<byte[], byte[]> client = new KafkaConsumer<>(config);
        try {
            ConsumerLoop loop = new ConsumerLoop(
                    client, settings, ClientLimits.of(config), subscription, endOffsets, context, buffer, Clock.SYSTEM);
            Thread.ofPlatform()
                    .daemon()
                    .name("weir-" + context.pipelineName() + "-consumer")
                    .start(loop);
            return loop;
        } catch (RuntimeException | Error failure) {
            client.close(CloseOptions.timeout(Duration.ZERO));
            throw failure;
        }
    }

    /** The end of each partition now. Blocks, so it is asked of an admin client on the starting thread. */
    private Map<TopicPartition, Long> endOffsets(Map<String, Object> consumerConfig) {
        Map<String, Object> config = new HashMap<>(consumerConfig);
        boolean committedOnly =
                "read_committed".equals(String.valueOf(consumerConfig.get(ConsumerConfig.ISOLATION_LEVEL_CONFIG)));
        ListOffsetsOptions options =
                new ListOffsetsOptions(committedOnly ? IsolationLevel.READ_COMMITTED : IsolationLevel.READ_UNCOMMITTED);
        try (Admin admin = Admin.create(config)) {
            long millis = END_OFFSETS_TIMEOUT.toMillis();
            Map<TopicPartition, OffsetSpec> wanted = admin
                    .describeTopics(subscription.topics())
                    .allTopicNames()
                    .get(millis, TimeUnit.MILLISECONDS)
                    .values()
                    .stream()
                    .flatMap(topic -> topic.partitions().stream()
                            .map(partition -> new TopicPartition(topic.name(), partition.partition())))
                    .collect(Collectors.toMap(id -> id, id -> OffsetSpec.latest()));
            return admin.listOffsets(wanted, options).all().get(millis, TimeUnit.MILLISECONDS).entrySet().stream()
                    .collect(Collectors.toMap(
                            Map.Entry::getKey, entry -> entry.getValue().offset()));
        } catch (ExecutionException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            String what = cause instanceof UnknownTopicOrPartitionException
                    ? "a topic of " + subscription.topics() + " does not exist; create it first"
                    : "cannot read the end offsets of " + subscription.topics() + ": " + cause.getMessage();
            throw new KafkaPipelineException(what, cause);
        } catch (TimeoutException failure) {
            throw new KafkaPipelineException(
                    "no answer from " + config.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG) + " within "
                            + END_OFFSETS_TIMEOUT.toSeconds() + " s; is a broker running there?",
                    failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new KafkaPipelineException("interrupted while reading the end offsets", interrupted);
        }
    }
}
