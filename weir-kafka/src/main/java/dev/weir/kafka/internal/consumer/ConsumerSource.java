package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Makes the running form of a committable source: a client, its owner thread, and the stage that pulls from both. */
public final class ConsumerSource<K, V> implements SourceFactory<ConsumerRecord<K, V>> {

    private static final Duration END_OFFSETS_TIMEOUT = Duration.ofSeconds(15);

    /** How often the client looks for new topics that match a pattern. */
    private static final int TOPIC_LOOK_MILLIS = 30_000;

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
        if (settings.groupId() == null) {
            throw new KafkaPipelineException("a committable source needs a group to commit for: group.id is not set");
        }
        if (subscription.selection() instanceof Subscription.Matching) {
            config.putIfAbsent(ConsumerConfig.METADATA_MAX_AGE_CONFIG, TOPIC_LOOK_MILLIS);
        }
        AdminLookup lookup = new AdminLookup(config);
        try {
            Map<TopicPartition, Long> endOffsets = subscription.isBounded() ? endOffsets(lookup) : Map.of();
            RecordBuffer buffer = new RecordBuffer(
                    context.clock(), dueMillis == null ? null : new Delay(dueMillis, System::currentTimeMillis));
            ConsumerLoop loop = start(config, endOffsets, context, buffer, lookup);
            context.onStop(loop::stop);
            context.onTermination(patience -> {
                String leftUndone = loop.close(patience);
                lookup.close();
                return leftUndone;
            });
            context.expose(loop);
            context.depth(buffer::records);
            return new SourceStage<>(buffer, settings, context.meter(), loop::stop);
        } catch (RuntimeException | Error failure) {
            lookup.close();
            throw failure;
        }
    }

    /** From here on the owner thread closes the client, whatever happens. */
    private ConsumerLoop start(
            Map<String, Object> config,
            Map<TopicPartition, Long> endOffsets,
            StageContext context,
            RecordBuffer buffer,
            Lookup lookup) {
        KafkaConsumer<byte[], byte[]> client = new KafkaConsumer<>(config);
        try {
            ConsumerLoop loop = new ConsumerLoop(
                    client,
                    new ClientFetcher(client),
                    settings,
                    ClientLimits.of(config),
                    subscription,
                    endOffsets,
                    context,
                    buffer,
                    lookup,
                    Clock.SYSTEM);
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

    /** Where each partition ends. Blocks, so it is asked on the starting thread. */
    private Map<TopicPartition, Long> endOffsets(Lookup lookup) {
        try {
            return lookup.partitions(subscription.selection())
                    .thenCompose(ids -> lookup.offsets(ids.stream().collect(Collectors.toMap(id -> id, this::end))))
                    .toCompletableFuture()
                    .get(END_OFFSETS_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            String what = cause instanceof UnknownTopicOrPartitionException
                    ? "a topic of " + subscription.selection() + " does not exist; create it first"
                    : "cannot read the end offsets of " + subscription.selection() + ": " + cause.getMessage();
            throw new KafkaPipelineException(what, cause);
        } catch (TimeoutException failure) {
            throw new KafkaPipelineException(
                    "no answer from " + settings.properties().get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG) + " within "
                            + END_OFFSETS_TIMEOUT.toSeconds() + " s; is a broker running there?",
                    failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new KafkaPipelineException("interrupted while reading the end offsets", interrupted);
        }
    }

    private Position end(TopicPartition id) {
        return Objects.requireNonNull(subscription.end().of(id));
    }
}
