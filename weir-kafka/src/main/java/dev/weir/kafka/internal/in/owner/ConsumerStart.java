package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ExternalOffsets;
import dev.weir.kafka.FetchPath;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Position;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.BufferRate;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan;
import dev.weir.kafka.internal.in.buffer.ConsumerPlan.Delivery;
import dev.weir.kafka.internal.in.buffer.DueRecords;
import dev.weir.kafka.internal.in.buffer.RecordBuffer;
import dev.weir.kafka.internal.in.buffer.RecordOutlets;
import dev.weir.kafka.internal.in.buffer.SourceStage;
import dev.weir.kafka.internal.in.commit.DirectCommit;
import dev.weir.kafka.internal.in.commit.MemberCommit;
import dev.weir.kafka.internal.in.commit.TransactionGate;
import dev.weir.kafka.internal.in.fetch.ClientFetcher;
import dev.weir.kafka.internal.in.fetch.ClientLimits;
import dev.weir.kafka.internal.in.fetch.ClientRescue;
import dev.weir.kafka.internal.in.fetch.FetchedMaker;
import dev.weir.kafka.internal.in.fetch.LeanConfig;
import dev.weir.kafka.internal.in.fetch.LeanFetcher;
import dev.weir.kafka.internal.in.fetch.PollBudget;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.UnboundedRead;
import dev.weir.kafka.internal.meters.DecodeTime;
import dev.weir.kafka.spi.Lookup;
import dev.weir.kafka.spi.Lookup.Described;
import dev.weir.kafka.spi.Surroundings;
import dev.weir.kafka.spi.SurroundingsRegistry;
import dev.weir.stream.spi.Stage;
import dev.weir.stream.spi.StageContext;
import dev.weir.stream.spi.StageContext.PatientTermination;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/** Starts consumers. A consumer has a client, an owner thread, and a client for broker queries. Immutable. */
public final class ConsumerStart {

    /**
     * The {@code retry.backoff.ms} of a client that is only a group member. Its heartbeat thread wakes up at this
     * interval and creates 1.4 kB of garbage each time.
     */
    private static final int MEMBER_BACKOFF_MILLIS = 1_000;

    private static final ConsumerLog LOG = ConsumerLog.of(ConsumerStart.class);

    private static final StaticMembers STATIC_MEMBERS = new StaticMembers();

    private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(15);

    private static final Duration END_TIMEOUT = Duration.ofSeconds(5);

    /** Delays the repetition of a query. */
    private static final Executor AFTER_PAUSE = CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

    /** Interval at which the client looks for new topics that match a pattern. */
    private static final int TOPIC_LOOK_MILLIS = 30_000;

    /** Minimum fetch size per partition. Smaller fetches are not worth a request. */
    private static final long MIN_FETCH_BYTES = 64 * 1024;

    /**
     * Maximum decompressed size of an unreadable batch. It is decompressed as a whole, outside the heap, to find the
     * fault.
     */
    private static final int MAX_RESCUED_BYTES = 64 * 1024 * 1024;

    private final ConsumerSettings<?, ?> settings;
    private final Subscription subscription;
    private final Delivery delivery;
    private final @Nullable ExternalOffsets external;
    private final Function<DecodeTime, FetchedMaker> views;

    /** Creates an instance whose consumers hand out copies of the records. */
    public ConsumerStart(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            Delivery delivery,
            @Nullable ExternalOffsets external) {
        this(settings, subscription, delivery, external, time -> FetchedMaker.copying());
    }

    /**
     * Creates an instance whose consumers hand out the records that {@code views} creates.
     *
     * @param views creates a record maker for each fetch thread; used if lean consumers fetch the records
     */
    ConsumerStart(
            ConsumerSettings<?, ?> settings,
            Subscription subscription,
            Delivery delivery,
            @Nullable ExternalOffsets external,
            Function<DecodeTime, FetchedMaker> views) {
        this.settings = Objects.requireNonNull(settings, "settings");
        this.subscription = Objects.requireNonNull(subscription, "subscription");
        this.delivery = delivery;
        this.external = external;
        this.views = views;
        refuseContradictions();
    }

    /** Rejects contradictory settings. */
    private void refuseContradictions() {
        if (settings.groupId() == null && delivery.commits()) {
            throw new IllegalArgumentException(
                    "a source that commits needs a group to commit for: group.id is not set; set groupId, or use"
                            + " KafkaSource.plain");
        }
        if (subscription.due() != null && !delivery.isTracked()) {
            throw new IllegalArgumentException("dueAt needs a source that tracks each record: use"
                    + " KafkaSource.atLeastOnce, exactlyOnce or one with ExternalOffsets");
        }
        boolean inGroup = settings.groupId() != null && !(subscription.selection() instanceof Subscription.Partitions);
        if (inGroup && !delivery.commits() && subscription.isBounded()) {
            throw new IllegalArgumentException("a bounded read that commits nothing cannot be shared by the group "
                    + settings.groupId() + ", as no member would know its end; leave group.id out, name the"
                    + " partitions with Subscription.partitions, or use KafkaSource.atLeastOnce");
        }
    }

    /** A running consumer and the resources to close with it. */
    record Started(ConsumerLoop loop, Lookup lookup, StaticMembers.@Nullable Membership staticMember)
            implements PatientTermination {

        /** Closes the consumer and its resources. Returns a description of the unfinished work. */
        @Override
        public String close(Duration patience) {
            String leftUndone = loop.close(patience);
            lookup.close();
            if (staticMember != null) {
                staticMember.end();
            }
            return leftUndone;
        }

        @Override
        public void hurry(Duration patience) {
            loop.requestClose(patience);
        }
    }

    ConsumerLoop start(StageContext context, RecordOutlets outlets) {
        return start(context, outlets, null);
    }

    /**
     * Starts a consumer that lives as long as the stages of {@code context} and emits through {@code buffer}. Blocks
     * while it queries brokers.
     *
     * @param decoding specifies how the stage decodes records
     * @param <T> the type of the emitted elements: decoded records, or the results of a record maker that does not copy
     *     records
     * @param transactions commits offsets in transactions; null if offsets are committed without transactions
     * @return the stage that takes the records from the buffer
     */
    public <T> SourceStage<T> open(
            StageContext context,
            RecordBuffer buffer,
            ConsumerSettings<?, ?> decoding,
            @Nullable TransactionGate transactions) {
        ConsumerLoop loop = start(context, RecordOutlets.single(buffer), transactions);
        if (!loop.isTracked()) {
            buffer.keepWhole();
        }
        context.exposeResource(new BufferRate(context.stageName(), buffer));
        return new SourceStage<>(buffer, decoding, context.meter(), loop.isTracked(), loop::taken, loop::stop);
    }

    private ConsumerLoop start(StageContext context, RecordOutlets outlets, @Nullable TransactionGate transactions) {
        String name = context.pipelineName();
        Started started = start(name, "pipeline " + name, outlets, context::fail, transactions);
        started.loop.readBy(() -> List.of(context));
        context.onStop(started.loop::stop);
        context.onTermination(started);
        context.exposeResource(started.loop.control());
        context.exposeResource(started.loop.control().limits());
        if (!subscription.isBounded()) {
            context.exposeResource(new UnboundedRead(subscription.selection(), settings.properties()));
        }
        context.depth(outlets::records);
        return started.loop;
    }

    /**
     * Starts a consumer that lives until it is closed. Blocks while it queries brokers.
     *
     * @param label describes the pipelines in the log
     */
    Started start(String name, String label, RecordOutlets outlets, Consumer<Throwable> onFailure) {
        return start(name, label, outlets, onFailure, null);
    }

    private Started start(
            String name,
            String label,
            RecordOutlets outlets,
            Consumer<Throwable> onFailure,
            @Nullable TransactionGate transactions) {
        settings.warnings(subscription).forEach(risk -> LOG.warn("{}: {}", name, risk));
        Map<String, Object> config = settings.clientConfig();
        ClientLimits.limitPolls(config);
        if (subscription.selection() instanceof Subscription.Matching) {
            config.putIfAbsent(ConsumerConfig.METADATA_MAX_AGE_CONFIG, TOPIC_LOOK_MILLIS);
        }
        Surroundings around = SurroundingsRegistry.of(settings.properties());
        Lookup lookup = around.lookup(config);
        try {
            checkConnection(lookup);
            checkPartitions("startingAt", subscription.start().each().keySet(), lookup);
            checkPartitions("until", subscription.end().each().keySet(), lookup);
            checkPartitions("priority", subscription.priorities().partitions().keySet(), lookup);
            limitFetches(config, lookup);
            ConsumerPlan plan = plan(lookup, settings.groupId() == null);
            return new Started(
                    start(around, config, plan, name, label, outlets, lookup, onFailure, transactions),
                    lookup,
                    enter(config));
        } catch (RuntimeException | Error failure) {
            lookup.close();
            throw failure;
        }
    }

    @Nullable
    DueRecords delay() {
        return DueRecords.of(subscription);
    }

    /** Returns the stage from which the pipeline pulls: {@code stage} itself unless a test harness replaces Kafka. */
    public <T> Stage<T> pulled(Stage<T> stage, StageContext context) {
        return SurroundingsRegistry.of(settings.properties()).pulled(stage, context.clock());
    }

    /**
     * Registers a static member; returns null if the consumer is not one. Warns if this process already runs the same
     * member, because the brokers will fence one of them.
     */
    private StaticMembers.@Nullable Membership enter(Map<String, Object> config) {
        Object instance = config.get(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG);
        if (instance == null) {
            return null;
        }
        String member =
                instance + " of " + settings.groupId() + " at " + config.get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG);
        StaticMembers.Membership membership = STATIC_MEMBERS.enter(member);
        if (membership.isShared()) {
            LOG.warn(
                    "group.instance.id={} is used by two running pipelines: the brokers give its partitions to the last"
                            + " one and fence the other; give each its own id, or share a consumer (ReusableConsumer)",
                    member);
        }
        return membership;
    }

    private void checkConnection(Lookup lookup) {
        if (!settings.connectTimeout().isZero()) {
            Set<String> ignored = answer(lookup.topics(), settings.connectTimeout());
        }
    }

    /** Rejects a setting that names a missing partition. Ignores topics that do not exist or cannot be described. */
    private void checkPartitions(String setting, Set<TopicPartition> named, Lookup lookup) {
        if (named.isEmpty() || settings.connectTimeout().isZero()) {
            return;
        }
        if (refusal(setting, named, lookup) != null) {
            // Ask again: a broker with outdated metadata may not know a new partition.
            answer(CompletableFuture.runAsync(() -> {}, AFTER_PAUSE));
            KafkaPipelineException refusal = refusal(setting, named, lookup);
            if (refusal != null) {
                throw refusal;
            }
        }
    }

    private @Nullable KafkaPipelineException refusal(String setting, Set<TopicPartition> named, Lookup lookup) {
        Set<String> topics = named.stream().map(TopicPartition::topic).collect(Collectors.toSet());
        Set<TopicPartition> known = Set.of();
        try {
            known = answer(lookup.partitions(new Subscription.Topics(topics))).ids();
        } catch (KafkaPipelineException unknown) {
            LOG.debug("the partitions of {} are not checked: {}", setting, Thrown.reason(unknown));
        }
        for (TopicPartition id : named) {
            long count = known.stream()
                    .filter(each -> each.topic().equals(id.topic()))
                    .count();
            if (count > 0 && !known.contains(id)) {
                return new KafkaPipelineException(setting + " names partition " + id + ", but topic " + id.topic()
                        + " has only 0 to " + (count - 1) + "; correct the number, or add the partition first");
            }
        }
        return null;
    }

    /**
     * Limits the fetch size per partition. The client may keep fetched records of paused partitions. These records
     * together should use at most a quarter of the buffer's budget.
     */
    private void limitFetches(Map<String, Object> config, Lookup lookup) {
        String limit = ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG;
        if (settings.properties().containsKey(limit)
                || settings.connectTimeout().isZero()) {
            return;
        }
        try {
            int partitions =
                    answer(lookup.partitions(subscription.selection())).ids().size();
            config.put(limit, fetchBytes(settings.bufferBytes(), partitions, ClientLimits.number(config, limit, 0)));
        } catch (KafkaPipelineException unknown) {
            LOG.debug("{} stays as it is: {}", limit, Thrown.reason(unknown));
        }
    }

    static int fetchBytes(long bufferBytes, int partitions, int most) {
        return (int) Math.clamp(bufferBytes / 4 / Math.max(1, partitions), Math.min(MIN_FETCH_BYTES, most), most);
    }

    private <A> A answer(CompletionStage<A> question) {
        return answer(question, ANSWER_TIMEOUT);
    }

    private ConsumerPlan plan(Lookup lookup, boolean groupless) {
        boolean given = subscription.selection() instanceof Subscription.Partitions;
        Set<TopicPartition> ids = Set.of();
        Map<TopicPartition, Long> endOffsets = Map.of();
        if (subscription.isBounded() || (groupless && !given)) {
            ids = allDescribed(answer(lookup.partitions(subscription.selection())));
            if (ids.isEmpty() && groupless) {
                throw new KafkaPipelineException("there are no " + subscription.selection() + "; create one first");
            }
        }
        if (subscription.isBounded()) {
            endOffsets = endOffsets(lookup, ids);
        }
        return new ConsumerPlan(subscription, endOffsets, delivery, external, groupless && !given ? ids : Set.of());
    }

    private Set<TopicPartition> allDescribed(Described found) {
        for (Throwable failure : found.failures().values()) {
            throw refused(failure);
        }
        return found.ids();
    }

    /**
     * Returns the end offsets. If all are unknown, for example during an election, repeats the query until it times
     * out.
     */
    private Map<TopicPartition, Long> endOffsets(Lookup lookup, Set<TopicPartition> ids) {
        long startNanos = System.nanoTime();
        while (true) {
            Map<TopicPartition, Long> ends = new HashMap<>();
            KafkaPipelineException unknown = ends(lookup, ids, ends);
            boolean isOver = System.nanoTime() - startNanos > ANSWER_TIMEOUT.toNanos();
            if (unknown == null || ends.values().stream().anyMatch(end -> end != AssignedPartition.UNKNOWN)) {
                return ends;
            } else if (isOver) {
                throw unknown;
            }
            answer(CompletableFuture.runAsync(() -> {}, AFTER_PAUSE));
        }
    }

    /**
     * Adds the end offset of each partition to {@code ends}. Returns the reason if an end offset is unknown, or null.
     */
    private @Nullable KafkaPipelineException ends(
            Lookup lookup, Set<TopicPartition> ids, Map<TopicPartition, Long> ends) {
        KafkaPipelineException unknown = null;
        var answers = lookup.offsets(ids.stream().collect(Collectors.toMap(id -> id, this::end)), END_TIMEOUT);
        for (var each : answers.entrySet()) {
            try {
                ends.put(each.getKey(), answer(each.getValue()));
            } catch (KafkaPipelineException failure) {
                boolean passes = failure.getCause() instanceof RetriableException
                        && !(failure.getCause() instanceof UnknownTopicOrPartitionException);
                if (!passes) {
                    throw failure;
                }
                ends.put(each.getKey(), AssignedPartition.UNKNOWN);
                unknown = failure;
            }
        }
        return unknown;
    }

    private Position end(TopicPartition id) {
        return Objects.requireNonNull(subscription.end().of(id));
    }

    /** Starts the loop. Its owner thread closes the client. */
    private ConsumerLoop start(
            Surroundings around,
            Map<String, Object> config,
            ConsumerPlan plan,
            String name,
            String label,
            RecordOutlets outlets,
            Lookup lookup,
            Consumer<Throwable> onFailure,
            @Nullable TransactionGate transactions) {
        if (settings.fetch() == FetchPath.LEAN) {
            config.putIfAbsent(ConsumerConfig.RETRY_BACKOFF_MS_CONFIG, MEMBER_BACKOFF_MILLIS);
        }
        PollBudget budget = budget(around, config);
        org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> client = around.client(config);
        try {
            ConsumerLoop loop = new ConsumerLoop(
                    client,
                    fetcher(around, client, config, budget, name),
                    settings,
                    ClientLimits.of(config),
                    plan,
                    onFailure,
                    outlets,
                    lookup,
                    OwnerClock.of(around),
                    around.hasBrokers()
                            ? new DirectCommit(client, config, commitsBesideClient(config))
                            : MemberCommit.NONE,
                    transactions);
            loop.begins(label, settings);
            Thread.ofPlatform().daemon().name("weir-" + name + "-consumer").start(around.ownerThread(loop));
            return loop;
        } catch (RuntimeException | Error failure) {
            client.close(CloseOptions.timeout(Duration.ZERO));
            throw failure;
        }
    }

    /**
     * Returns whether commits bypass the client. They do if lean consumers fetch and no interceptors need to see the
     * commits.
     */
    private boolean commitsBesideClient(Map<String, Object> config) {
        Object interceptors = config.get(ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG);
        return settings.fetch() == FetchPath.LEAN
                && (interceptors == null || interceptors.toString().isBlank());
    }

    /** Creates the poll budget. Adds it to the client's configuration if the client fetches the records. */
    private PollBudget budget(Surroundings around, Map<String, Object> config) {
        PollBudget budget = new PollBudget(settings.bufferBytes(), maxBatchBytes());
        if (settings.fetch() == FetchPath.CLIENT && around.hasBrokers()) {
            config.put(PollBudget.CONFIG, budget);
            config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, PollBudget.Bytes.class);
            config.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, PollBudget.Bytes.class);
        }
        return budget;
    }

    private RecordFetcher fetcher(
            Surroundings around,
            org.apache.kafka.clients.consumer.Consumer<byte[], byte[]> client,
            Map<String, Object> config,
            PollBudget budget,
            String name) {
        if (settings.fetch() == FetchPath.CLIENT) {
            return around.hasBrokers() ? new ClientFetcher(client, budget, rescue(config)) : new ClientFetcher(client);
        }
        if (!around.hasBrokers()) {
            throw new KafkaPipelineException("only a client can fetch here, where there are no brokers: fetch="
                    + settings.fetch() + "; set fetch(FetchPath.CLIENT)");
        }
        return LeanFetcher.open(
                client, config, maxBatchBytes(), name, settings.fetchThreads(), settings.fetchCpus(), views);
    }

    /** Returns the batch limit. The settings allow at most 1 GB. */
    private int maxBatchBytes() {
        return (int) settings.maxBatchBytes();
    }

    private ClientRescue rescue(Map<String, Object> config) {
        return new ClientRescue(
                () -> LeanConfig.of(config, Math.min(maxBatchBytes(), MAX_RESCUED_BYTES)),
                ClientLimits.of(config).maxPollRecords(),
                settings.bufferBytes());
    }

    private <A> A answer(CompletionStage<A> question, Duration within) {
        try {
            return question.toCompletableFuture().get(within.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException failure) {
            throw refused(failure.getCause() == null ? failure : failure.getCause());
        } catch (TimeoutException failure) {
            throw new KafkaPipelineException(
                    "no answer from " + settings.properties().get(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG) + " within "
                            + within.toSeconds() + " s; is a broker running there?",
                    failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new KafkaPipelineException("interrupted while the consumer started", interrupted);
        }
    }

    private KafkaPipelineException refused(Throwable cause) {
        String what = cause instanceof UnknownTopicOrPartitionException
                ? "a topic of " + subscription.selection() + " does not exist; create it first"
                : "cannot read the partitions or end offsets of " + subscription.selection() + ": "
                        + Thrown.reason(cause);
        return new KafkaPipelineException(what, cause);
    }
}
