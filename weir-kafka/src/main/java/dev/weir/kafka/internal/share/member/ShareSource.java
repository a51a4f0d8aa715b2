package dev.weir.kafka.internal.share.member;

import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ShareGroupConfig;
import dev.weir.kafka.ShareSettings;
import dev.weir.kafka.Subscription.Topics;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import dev.weir.kafka.internal.handler.TopicCheck;
import dev.weir.kafka.internal.in.lookup.UnboundedRead;
import dev.weir.kafka.internal.out.client.ClientWatch;
import dev.weir.kafka.internal.share.group.GroupAdmin;
import dev.weir.kafka.internal.share.group.GroupStart;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.SourceFactory;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageMeter;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates the running stage of a share group source. Immutable. */
public final class ShareSource implements SourceFactory<AcquiredRecord> {

    private static final Logger LOG = LoggerFactory.getLogger(ShareSource.class);

    private final ShareSettings<?, ?> settings;
    private final List<String> topics;

    public ShareSource(ShareSettings<?, ?> settings, List<String> topics) {
        if (topics.isEmpty()) {
            throw new IllegalArgumentException("a share group reads at least one topic: topics=" + topics);
        }
        this.settings = settings;
        this.topics = topics;
        refuseLoop(settings.deadLetterTopic(), settings, topics);
        refuseLoop(settings.parking(), settings, topics);
    }

    /** Throws if the group would read its own dead-letter records forever. */
    public static void refuseLoop(@Nullable DeadLetterTopic topic, ShareSettings<?, ?> settings, List<String> topics) {
        if (topic != null && !settings.isUntilEnd() && topics.contains(topic.topic())) {
            TopicCheck.refuseLoop(topic, settings.properties(), topics);
        }
    }

    /** Returns the topics as a list. Throws if one is null. */
    public static List<String> topics(String... topics) {
        Objects.requireNonNull(topics, "topics");
        for (String topic : topics) {
            Objects.requireNonNull(topic, "topics has a null");
        }
        return List.of(topics);
    }

    private void logBegin(StageContext context) {
        LOG.info(
                "pipeline {}: reads topics {}{} as share group {}, at least once, fetched by {}",
                context.pipelineName(),
                topics,
                settings.isUntilEnd() ? " to the end of this moment" : "",
                settings.groupId(),
                settings.fetch() == FetchPath.LEAN ? "the lean path" : "Kafka's client");
    }

    private static void watch(ParkedCopies copies, DeadLetterTopic parking, StageContext context) {
        ClientWatch.begin(parking.settings().clientConfig(), copies.progress(), context, nowNanos -> {
            KafkaPipelineException broken = copies.look(nowNanos);
            if (broken != null) {
                context.fail(broken);
            }
        });
    }

    private static void warnOfNoTopic(StageContext context, GroupStart start) {
        LOG.warn(
                "{}: no dead-letter topic: a record that is not done in {} deliveries is given up by the brokers",
                context.pipelineName(),
                start.config().deliveryLimit());
    }

    /**
     * Closes the run and logs its end.
     *
     * @param failure the member's own failure, or null
     */
    private static String closed(ShareRun run, Duration patience, StageContext context, @Nullable Throwable failure) {
        String leftUndone = run.close(patience);
        String left = leftUndone.isEmpty() ? "nothing is left unfinished" : leftUndone;
        if (failure == null) {
            LOG.info("pipeline {}: ended; {}", context.pipelineName(), left);
        } else {
            LOG.info("pipeline {}: ended by a failure: {}; {}", context.pipelineName(), Thrown.reason(failure), left);
        }
        return leftUndone;
    }

    /** Creates the source stage. Blocks while it queries the brokers. */
    @Override
    public Stage<AcquiredRecord> create(StageContext context) {
        GroupAdmin admin = new GroupAdmin(settings);
        ParkedCopies copies = null;
        try {
            GroupStart start = GroupStart.of(admin, settings, topics);
            ShareCounters counters = new ShareCounters();
            DeadLetterTopic parking = settings.parking();
            if (parking != null) {
                TopicCheck.check(parking.settings(), List.of(parking.topic()));
                copies = new ParkedCopies(parking, counters);
                watch(copies, parking, context);
            } else {
                warnOfNoTopic(context, start);
            }
            ReadyRecords ready = new ReadyRecords(context.clock());
            AtomicReference<ShareGroupConfig> group = new AtomicReference<>(start.config());
            AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
            Consumer<Throwable> fail = failure -> {
                failed.compareAndSet(null, failure);
                context.fail(failure);
            };
            SharePath.Setup setup = new SharePath.Setup(
                    context.pipelineName(),
                    clientConfig(),
                    topics,
                    group::get,
                    ready,
                    counters,
                    copies,
                    context::dropRevoked,
                    fail);
            SharePath path = settings.fetch() == FetchPath.LEAN
                    ? new LeanPath(setup, settings)
                    : new ClientPath(setup, KafkaShareConsumer::new);
            ShareRun run = new ShareRun(
                    settings, start, admin, path, ready, counters, copies, group::set, fail, context::troubles);
            context.onStop(path::stop);
            context.onTermination(patience -> closed(run, patience, context, failed.get()));
            context.exposeResource(run);
            if (!settings.isUntilEnd()) {
                context.exposeResource(new UnboundedRead(new Topics(Set.copyOf(topics)), settings.properties()));
            }
            context.depth(ready::size);
            logBegin(context);
            run.begin();
            return new Pulls(ready, context.meter(), path::stop);
        } catch (RuntimeException | Error failure) {
            admin.close();
            if (copies != null) {
                copies.close();
            }
            throw failure;
        }
    }

    /** Passes a member's acquired records to the pipeline. Confined to the stage's thread. */
    private record Pulls(ReadyRecords ready, StageMeter meter, Runnable onClose) implements Stage<AcquiredRecord> {

        @Override
        public @Nullable Batch<AcquiredRecord> pull(long deadlineNanos) throws InterruptedException {
            Batch<AcquiredRecord> batch = ready.take(deadlineNanos, meter);
            if (batch != null) {
                meter.worked(batch.size(), batch.size(), System.nanoTime());
            }
            return batch;
        }

        @Override
        public void close() {
            onClose.run();
        }
    }

    private Map<String, Object> clientConfig() {
        Map<String, Object> config = new HashMap<>();
        config.put(ConsumerConfig.CLIENT_ID_CONFIG, "weir-" + settings.groupId());
        // A share consumer without demand does not poll, and the group must not consider it dead. No user code runs on
        // its thread.
        config.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Integer.MAX_VALUE);
        config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        config.putAll(settings.properties());
        config.put("share.acknowledgement.mode", "explicit");
        config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        return config;
    }
}
