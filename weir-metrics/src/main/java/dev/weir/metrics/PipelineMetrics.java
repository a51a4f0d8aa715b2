package dev.weir.metrics;

import dev.weir.kafka.ConsumerDump;
import dev.weir.kafka.ConsumerDump.PartitionDump;
import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ProducerHandle;
import dev.weir.kafka.ShareHandle;
import dev.weir.kafka.deadletter.DeadLetterHandle;
import dev.weir.metrics.PipelineMeters.ConsumerLook;
import dev.weir.metrics.PipelineMeters.DeadLetterLook;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.StageSnapshot;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of one running pipeline. They cover its stages, consumers, producers, dead-letter records and share group
 * members. {@code docs/reference/metrics.md} lists them. Thread-safe.
 *
 * <pre>{@code
 * PipelineMetrics metrics = PipelineMetrics.of(running);
 * metrics.bindTo(registry);
 * }</pre>
 *
 * <p>After the first {@link #bindTo}, a daemon thread reads the pipeline once a second. The meters show its last
 * reading, so a scrape costs the pipeline nothing. After the pipeline has ended, the meters show its last state until
 * {@link #close} removes them.
 */
public final class PipelineMetrics implements MeterBinder, AutoCloseable {

    /** The interval between readings of the pipeline. */
    public static final Duration LOOK_INTERVAL = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(PipelineMetrics.class);

    /** The number of readings from which the limiter is determined: five seconds. */
    private static final int LIMITER_LOOKS = 6;

    /** Maximum time that {@link #close} waits for the reading thread. A reading does not block. */
    private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(5);

    private final RunningPipeline pipeline;
    private final boolean partitionTags;
    private final Tags tags;

    /** Zero when the pipeline has ended or these metrics are closed. */
    private final CountDownLatch over = new CountDownLatch(1);

    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final List<MeterRegistry> registries = new ArrayList<>();
    private final Family<Boolean> ofPipeline = new Family<>(PipelineMeters.PIPELINE);
    private final Family<Limiter> limiters = new Family<>(PipelineMeters.LIMITER);
    private final Deque<PipelineLook> looks = new ArrayDeque<>();
    private final Family<StageSnapshot> stages = new Family<>(PipelineMeters.STAGE);
    private final Family<ConsumerLook> consumers = new Family<>(PipelineMeters.CONSUMER);
    private final Family<PartitionDump> partitions = new Family<>(PipelineMeters.PARTITION);
    private final Family<ProducerMeters.Look> producers = new Family<>(ProducerMeters.PRODUCER);
    private final Family<DeadLetterLook> deadLetters = new Family<>(PipelineMeters.LETTERS);
    private final Family<ShareMeters.MemberLook> members = new Family<>(ShareMeters.MEMBER);
    private boolean failing;
    private @Nullable Thread looker;

    private volatile boolean closed;

    private PipelineMetrics(RunningPipeline pipeline, boolean partitionTags, Tags tags) {
        this.pipeline = pipeline;
        this.partitionTags = partitionTags;
        this.tags = tags;
    }

    /**
     * Creates the meters of {@code pipeline}, with its name as a tag. The pipeline is not read until the meters are
     * bound.
     */
    public static PipelineMetrics of(RunningPipeline pipeline) {
        return new PipelineMetrics(
                Objects.requireNonNull(pipeline, "pipeline"),
                false,
                Tags.of(PipelineMeters.PIPELINE_TAG, pipeline.name()));
    }

    /**
     * Returns metrics that also contain meters for individual partitions ({@code weir.partition.*}), with one series
     * per assigned partition. Without this call, there are no such meters.
     */
    public PipelineMetrics withPartitionTags() {
        return new PipelineMetrics(pipeline, true, tags);
    }

    /**
     * Returns metrics with additional tags on each meter. If two pipelines in one registry have the same name, they
     * need a tag that distinguishes them. All pipelines in a Prometheus registry need the same tag keys.
     *
     * @throws IllegalArgumentException if a key is already used by the meters
     */
    public PipelineMetrics withTags(Iterable<Tag> more) {
        Set<String> own = new TreeSet<>();
        PipelineMeters.ALL.forEach(kind -> {
            own.addAll(kind.tags());
            kind.meters().forEach(meter -> own.addAll(meter.fixedKeys()));
        });
        for (Tag tag : Objects.requireNonNull(more, "more")) {
            if (own.contains(tag.getKey())) {
                throw new IllegalArgumentException("the meters have their own tag " + tag.getKey());
            }
        }
        return new PipelineMetrics(pipeline, partitionTags, tags.and(more));
    }

    /**
     * Registers the meters. Each call adds a registry.
     *
     * @throws IllegalArgumentException if the registry already has meters of a pipeline with these tags
     * @throws IllegalStateException after {@link #close}
     */
    @Override
    public void bindTo(MeterRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the metrics of pipeline " + pipeline.name() + " are closed");
            }
            String marker = PipelineMeters.PIPELINE.getFirst().name();
            if (registry.find(marker).tags(tags).meter() != null) {
                throw new IllegalArgumentException("the registry has meters of a pipeline with the tags " + tags
                        + " already: give one of them another name or a tag");
            }
            if (looker == null) {
                look();
            }
            all().forEach(family -> family.register(registry));
            registries.add(registry);
            if (looker == null) {
                looker = Thread.ofPlatform()
                        .daemon()
                        .name("weir-metrics-" + pipeline.name())
                        .start(this::lookUntilOver);
                // The pipeline keeps this action until it ends. A reference to these metrics would keep them too.
                CountDownLatch ended = over;
                var ignored = pipeline.completion().whenComplete((report, failure) -> ended.countDown());
            }
        } finally {
            lock.unlock();
        }
    }

    private List<Family<?>> all() {
        return List.of(ofPipeline, limiters, stages, consumers, partitions, producers, deadLetters, members);
    }

    private void lookUntilOver() {
        try {
            while (!over.await(LOOK_INTERVAL.toNanos(), TimeUnit.NANOSECONDS)) {
                lookSafely();
            }
            // Read the final counts.
            lookSafely();
        } catch (InterruptedException e) { // Not expected, because nothing interrupts this private thread.
            Thread.currentThread().interrupt();
        }
    }

    private void lookSafely() {
        lock.lock();
        try {
            if (!closed) {
                look();
                failing = false;
            }
        } catch (Throwable e) { // Caught because it would otherwise end the thread silently.
            if (!failing) {
                LOG.warn("the meters of pipeline {} are not updated", pipeline.name(), e);
            }
            failing = true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes a reading. Must be called under the lock. */
    private void look() {
        boolean running = !pipeline.hasEnded();
        ofPipeline.look(Map.of(tags, running), registries);
        List<ConsumerHandle> handles = pipeline.handles(ConsumerHandle.class);
        PipelineLook now = PipelineLook.at(pipeline, MachineLook.now());
        Map<Tags, StageSnapshot> stagesNow = new HashMap<>();
        now.stages().forEach(stage -> stagesNow.put(tags.and(PipelineMeters.STAGE_TAG, stage.name()), stage));
        stages.look(stagesNow, registries);
        lookAtConsumers(now, handles);
        if (running) {
            lookForLimiter(now);
        }
        lookAtProducers();
        List<DeadLetterHandle> ways = pipeline.handles(DeadLetterHandle.class);
        deadLetters.look(ways.isEmpty() ? Map.of() : Map.of(tags, deadLettersOf(ways)), registries);
        Map<Tags, ShareMeters.MemberLook> membersNow = new HashMap<>();
        for (ShareHandle member : pipeline.handles(ShareHandle.class)) {
            membersNow.put(
                    tags.and(PipelineMeters.MEMBER_TAG, Integer.toString(membersNow.size() + 1)),
                    new ShareMeters.MemberLook(member.snapshot(), member.health()));
        }
        members.look(membersNow, registries);
    }

    /** Updates the limiter. Keeps the last limiter after the pipeline has ended. */
    private void lookForLimiter(PipelineLook now) {
        if (looks.isEmpty()) {
            looks.addLast(now);
        }
        looks.addLast(now);
        if (looks.size() > LIMITER_LOOKS) {
            looks.removeFirst();
        }
        Limiter limiter = LimiterFinder.find(List.copyOf(looks));
        Tags own = tags.and(PipelineMeters.KIND_TAG, limiter.kind().id(), PipelineMeters.NAME_TAG, limiter.name());
        limiters.look(Map.of(own, limiter), registries);
    }

    private void lookAtConsumers(PipelineLook now, List<ConsumerHandle> before) {
        Map<Tags, ConsumerLook> consumersNow = new HashMap<>();
        Map<Tags, PartitionDump> partitionsNow = new HashMap<>();
        // Consumers may come and go during a reading. Use a handle only if it had the same index before and after the
        // reading. Skip the remaining handles at the first mismatch.
        List<ConsumerHandle> after = pipeline.handles(ConsumerHandle.class);
        int most = Math.min(now.consumers().size(), Math.min(before.size(), after.size()));
        for (int i = 0; i < most && before.get(i) == after.get(i); i++) {
            ConsumerHandle handle = after.get(i);
            PipelineLook.ConsumerLook seen = now.consumers().get(i);
            ConsumerLook look =
                    new ConsumerLook(seen.counters(), seen.dump(), handle.health(), handle.outstandingBytes());
            Tags own = consumerTags(look.dump(), consumersNow);
            consumersNow.put(own, look);
            if (partitionTags) {
                for (PartitionDump partition : look.dump().partitions()) {
                    partitionsNow.put(
                            own.and(
                                    PipelineMeters.TOPIC_TAG,
                                    partition.topic(),
                                    PipelineMeters.PARTITION_TAG,
                                    Integer.toString(partition.partition())),
                            partition);
                }
            }
        }
        consumers.look(consumersNow, registries);
        partitions.look(partitionsNow, registries);
    }

    /** Reads the producers; only the first producer of a stage. */
    private void lookAtProducers() {
        Map<Tags, ProducerMeters.Look> producersNow = new HashMap<>();
        for (ProducerHandle handle : pipeline.handles(ProducerHandle.class)) {
            ProducerMeters.Look look = ProducerMeters.Look.at(handle);
            producersNow.putIfAbsent(
                    tags.and(PipelineMeters.STAGE_TAG, look.now().stage()), look);
        }
        producers.look(producersNow, registries);
    }

    /**
     * Identifies a consumer by its subscription, followed by a number if an earlier consumer has the same subscription.
     */
    private Tags consumerTags(ConsumerDump dump, Map<Tags, ConsumerLook> taken) {
        Tags own = tags.and(PipelineMeters.CONSUMER_TAG, dump.reads());
        for (int number = 2; taken.containsKey(own); number++) {
            own = tags.and(PipelineMeters.CONSUMER_TAG, dump.reads() + " #" + number);
        }
        return own;
    }

    private static DeadLetterLook deadLettersOf(List<DeadLetterHandle> ways) {
        return new DeadLetterLook(
                ways.stream().mapToLong(DeadLetterHandle::written).sum(),
                ways.stream().mapToLong(DeadLetterHandle::cut).sum(),
                ways.stream().mapToLong(DeadLetterHandle::held).sum());
    }

    RunningPipeline pipeline() {
        return pipeline;
    }

    boolean isClosed() {
        return closed;
    }

    /** Takes a reading now, for tests. */
    void lookNow() {
        lookSafely();
    }

    /** Removes the meters from all registries and stops the thread. The pipeline continues. */
    @Override
    public void close() {
        Thread ending;
        lock.lock();
        try {
            closed = true;
            over.countDown();
            all().forEach(Family::clear);
            registries.clear();
            ending = looker;
        } finally {
            lock.unlock();
        }
        if (ending != null) {
            try {
                ending.join(JOIN_TIMEOUT);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
