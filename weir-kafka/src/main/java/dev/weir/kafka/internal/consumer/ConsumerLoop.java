package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.buffer.AssignedPartition;
import dev.weir.kafka.internal.buffer.Assignment;
import dev.weir.kafka.internal.buffer.Emission;
import dev.weir.kafka.internal.buffer.FlowControl;
import dev.weir.kafka.internal.buffer.Outlets;
import dev.weir.kafka.internal.buffer.Pauses;
import dev.weir.kafka.internal.buffer.Plan;
import dev.weir.kafka.internal.buffer.Plan.Delivery;
import dev.weir.kafka.internal.commit.CommitAhead;
import dev.weir.kafka.internal.commit.Commits;
import dev.weir.kafka.internal.fetch.ClientLimits;
import dev.weir.kafka.internal.fetch.Fetcher;
import dev.weir.kafka.internal.fetch.LeaderEpochs;
import dev.weir.kafka.internal.fetch.Waiting;
import dev.weir.kafka.internal.lookup.Lookup;
import dev.weir.kafka.internal.lookup.OwnerClock;
import dev.weir.kafka.internal.position.BoundedRead;
import dev.weir.kafka.internal.position.NewPartitions;
import dev.weir.kafka.internal.position.Positions;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * The owner of one consumer: the only thread that touches the client, the fetcher, the assignment and the trackers. Other threads
 * talk to it through {@link Requests} and {@link Waiting#wake}.
 *
 * <pre>
 *   RUNNING --stop--> STOPPED --close--> CLOSING --> closed
 *      |  polls and emits  |  polls, emits nothing  |  waits for acknowledgements, commits, closes the client
 *      +------------------------ fatal error --------------> closed, pipeline failed
 * </pre>
 *
 * <p>It never runs user code and never waits for the pipeline, except for unfinished records of revoked partitions,
 * within a deadline.
 */
final class ConsumerLoop implements Runnable {

    /** How long a poll waits when nothing is due: only the snapshot ages meanwhile. */
    private static final long MAX_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long a rebalance listener's question for committed offsets may take. */
    private static final long COMMITTED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Consumer<?, ?> client;
    private final Fetcher fetcher;
    private final Plan plan;
    private final Subscription subscription;
    private final java.util.function.Consumer<Throwable> onFailure;
    private final @Nullable CommitAhead ahead;
    private final Assignment assignment;
    private final FlowControl flow;
    private final Emission emission;
    private final Observer observer;
    private final Commits commits;
    private final Waiting waiting;
    private final Requests requests;
    private final Rebalances rebalances;
    private final Positions positions;
    private final NewPartitions newPartitions;
    private final BoundedRead boundedRead;
    private final Ending ending;
    private final Pauses pauses = new Pauses();
    private final ConsumerControl control = new ConsumerControl(this, pauses);
    private final Hooks hooks;
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    /** Set before there is a pipeline. */
    private volatile @Nullable Parking parking;

    /** Those whose stages may hold what was emitted. Set before there is anything. */
    private volatile Supplier<Collection<StageContext>> readers = List::of;

    ConsumerLoop(
            Consumer<?, ?> client,
            Fetcher fetcher,
            ConsumerSettings<?, ?> settings,
            ClientLimits limits,
            Plan plan,
            java.util.function.Consumer<Throwable> onFailure,
            Outlets outlets,
            Lookup lookup,
            OwnerClock clock) {
        this.client = client;
        this.fetcher = fetcher;
        this.plan = plan;
        this.subscription = plan.subscription();
        this.onFailure = onFailure;
        this.commits = new Commits(client, fetcher, settings, lookup, clock);
        this.waiting = new Waiting(fetcher, clock);
        this.requests = new Requests(waiting, clock);
        this.flow = new FlowControl(
                settings, plan.isTracked() ? 1 : plan.batchSize(), limits.partitionFetchBytes(), clock, waiting::wake);
        this.ahead = plan.delivery() instanceof Delivery.AtMostOnce atMostOnce
                ? new CommitAhead(commits, outlets, atMostOnce.commitAhead(), pauses::isPaused, waiting, clock)
                : null;
        this.emission = new Emission(plan, ahead, outlets);
        int trackerCapacity = settings.maxOutstandingRecords() + limits.maxPollRecords();
        this.assignment =
                new Assignment(plan, fetcher, outlets, flow, emission, pauses, trackerCapacity, waiting::wake);
        RevokeTimes revokeTimes = RevokeTimes.of(settings, limits.maxPollInterval());
        this.hooks =
                new Hooks(this, assignment, settings.rebalanceListener(), plan.external(), waiting, clock, revokeTimes);
        this.rebalances = new Rebalances(this, assignment, emission, hooks, waiting, clock, revokeTimes);
        this.positions =
                new Positions(assignment, plan, settings, commits, lookup, clock, this::execute, waiting::wake);
        this.newPartitions = new NewPartitions(
                plan, assignment, lookup, clock, limits.metadataAge(), this::execute, this::assignAlso);
        this.boundedRead = new BoundedRead(
                plan, client, fetcher, lookup, clock, this::execute, assignment, emission, positions.topicIds());
        this.observer = new Observer(
                this,
                fetcher,
                flow,
                outlets,
                lookup,
                clock,
                subscription.selection().toString(),
                plan.isTracked(),
                limits.maxPollInterval());
        this.ending = new Ending(this, assignment, waiting, emission, commits, rebalances, hooks, observer, clock);
    }

    // ---- Any thread ------------------------------------------------------------------------------------------------

    /** Asks for the end of emission. What has been emitted may still be finished, and is committed. */
    void stop() {
        requests.stop();
    }

    /** Asks for the end and waits for it and for the owner thread. See {@link dev.weir.stream.spi.StageContext.Termination}. */
    String close(Duration patience) {
        requestClose(patience);
        String leftUndone = closed.join();
        waiting.awaitOwnerGone();
        return leftUndone;
    }

    void requestClose(Duration patience) {
        requests.close(patience);
    }

    /** Whether each record is acknowledged; otherwise the first token of a batch stands for it until it is pulled. */
    boolean isTracked() {
        return plan.isTracked();
    }

    /** The pipeline has pulled a batch. */
    void taken() {
        if (ahead != null && ahead.wantsRoom()) {
            waiting.wake();
        }
    }

    /** A user has paused or resumed something: what may be committed ahead is something else now. */
    void pausesChanged() {
        if (ahead != null && ahead.wantsLook()) {
            waiting.wake();
        }
    }

    /** Gives up a partition whose stream nobody reads any more. */
    void abandon(AssignedPartition announced) {
        execute(() -> {
            // A seek has made another of it since, with the same outlet; one that went and came back has a new outlet.
            AssignedPartition partition = assignment.get(announced.id);
            if (partition != null && partition.outlet == announced.outlet) {
                emission.takeBack(List.of(partition));
                partition.atEnd = true;
                assignment.pause(partition);
            }
        });
    }

    /** Says in whose stages what was emitted may be. */
    void readBy(Supplier<Collection<StageContext>> newReaders) {
        readers = newReaders;
        observer.findBy(new Finder(newReaders));
    }

    /** Several pipelines read from this consumer, one after the other or at once. */
    void share(Parking by) {
        parking = by;
    }

    /** Waits until {@code done} is, or this consumer has ended; false in the second case. */
    boolean awaitOrEnd(CompletableFuture<String> done) {
        CompletableFuture.anyOf(done, closed).join();
        return done.isDone();
    }

    /** Has the pipelines drop what was revoked and nobody has begun. Any thread. */
    void dropRevoked() {
        readers.get().forEach(StageContext::dropRevoked);
    }

    /** Runs {@code request} on the owner thread, soon, unless it ends before. */
    void execute(Runnable request) {
        requests.add(request);
    }

    ConsumerSnapshot snapshot() {
        return observer.snapshot();
    }

    Observer observer() {
        return observer;
    }

    /** What users see and steer. */
    ConsumerControl control() {
        return control;
    }

    // ---- Owner thread ----------------------------------------------------------------------------------------------

    @Override
    public void run() {
        waiting.own();
        try {
            subscribe();
            while (!requests.isClose()) {
                turn();
                // Before the look at what it may be for.
                waiting.clearSignal();
            }
            ending.finishUnfinished();
        } catch (KafkaException failure) {
            onFailure.accept(new KafkaPipelineException(
                    "consuming " + subscription.selection() + " failed: " + failure.getMessage(), failure));
        } catch (RuntimeException | Error failure) {
            onFailure.accept(failure);
        } finally {
            end();
        }
    }

    private void subscribe() {
        positions.begin();
        if (!plan.ungrouped().isEmpty()) {
            assignAlso(plan.ungrouped());
            return;
        }
        switch (subscription.selection()) {
            case Subscription.Topics topics -> client.subscribe(topics.names(), rebalances);
            case Subscription.Matching matching -> client.subscribe(Pattern.compile(matching.regex()), rebalances);
            case Subscription.Partitions partitions -> assignAlso(partitions.ids());
        }
    }

    private void assignAlso(Collection<TopicPartition> ids) {
        Set<TopicPartition> all = new HashSet<>(assignment.ids());
        all.addAll(ids);
        client.assign(all);
        assigned(ids);
    }

    /** One round: requests, resumes, commits, then a poll that waits no longer than the next of these is due. */
    private void turn() {
        if (requests.isStop()) {
            ending.stopEmission();
        }
        requests.run();
        flow.resumeLow(assignment.byId(), fetcher);
        commits.throwFatal();
        commitIfDue();
        newPartitions.lookIfDue();
        positions.askIfDue();
        poll(Math.min(Math.min(untilDetached(), positions.nanosUntilDue()), Math.min(MAX_POLL_NANOS, untilCommit())));
        observer.lookIfDue(assignment.all(), commits, rebalances.count());
        if (subscription.isBounded() && isEmitting()) {
            boundedRead.endWhenAllRead();
        }
    }

    private long untilDetached() {
        Parking shared = parking;
        return shared == null ? Long.MAX_VALUE : Math.max(1, shared.detachFinished());
    }

    private void commitIfDue() {
        if (plan.isCommittable()) {
            commits.commitIfDue(assignment.all());
        } else if (ahead != null) {
            ahead.commit();
        }
    }

    private long untilCommit() {
        return plan.isCommittable() || commits.isBackingOff() ? commits.nanosUntilDue() : Long.MAX_VALUE;
    }

    private void emit(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            AssignedPartition partition = assignment.get(id);
            if (partition != null) {
                emit(partition, records.records(id));
            }
        }
        if (!records.isEmpty()) {
            flow.afterPoll(assignment.byId(), fetcher);
        }
    }

    private void emit(AssignedPartition partition, List<ConsumerRecord<byte[], byte[]>> records) {
        int ofAnotherLog = partition.epochs.note(records);
        if (ofAnotherLog != LeaderEpochs.NONE) {
            // Those before it go out no more: it may be that they are of the other log, too.
            positions.ofAnotherLog(partition, records.get(ofAnotherLog));
            return;
        }
        emission.emit(partition, records);
        partition.advance();
        flow.afterFetch(partition, fetcher);
    }

    /** Always answers {@link #close}. */
    private void end() {
        List<String> leftUndone = new ArrayList<>();
        try {
            ending.commitAtLast(leftUndone);
        } catch (RuntimeException | Error failure) {
            onFailure.accept(failure);
        } finally {
            try {
                ending.closeClient(client, fetcher);
            } catch (Error failure) {
                onFailure.accept(failure);
            } finally {
                // Whatever happened: somebody waits for it.
                closed.complete(String.join("; ", leftUndone));
                control.ended();
            }
        }
    }

    // ---- Owner thread, called by its parts -------------------------------------------------------------------------

    /** The group has given this member partitions, within a poll, or the member has taken them. */
    void assigned(Collection<TopicPartition> ids) {
        fetcher.assigned(ids);
        if (!isEmitting()) {
            // Nothing of them will be emitted, so there will be nothing to commit.
            fetcher.pause(ids);
            return;
        }
        assignment.add(ids, observer.assigned());
        commits.assigned(ids);
        hooks.assigned(Set.copyOf(ids));
        positions.assigned(assignment.current(ids));
    }

    void poll(long nanos) {
        try {
            emit(waiting.poll(nanos));
            observer.polled();
        } catch (InvalidOffsetException unknown) {
            positions.unknown(unknown);
        }
    }

    /** A round for the sake of membership and commits alone. */
    void commitAndPoll(long maxNanos) {
        commitIfDue();
        poll(Math.min(Math.min(maxNanos, MAX_POLL_NANOS), untilCommit()));
    }

    /** See {@link Requests#withinPatience}. */
    long withinPatience(long nanos) {
        return requests.withinPatience(nanos);
    }

    /**
     * Commits before partitions are given up: what is finished of them or, where commits go ahead, where they were placed
     * and no commit has said so yet.
     *
     * @throws org.apache.kafka.common.errors.RebalanceInProgressException if the client must poll first
     */
    void commitNow(Collection<AssignedPartition> partitions, long timeoutNanos) {
        if (plan.isCommittable()) {
            commits.commitNow(partitions, timeoutNanos);
        } else if (ahead != null) {
            ahead.commitPlaces(partitions, timeoutNanos);
        }
    }

    void fail(RuntimeException failure) {
        onFailure.accept(failure);
    }

    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids) {
        return commits.committed(ids, COMMITTED_NANOS);
    }

    /** What {@link Observer#snapshot} says after this is of now. */
    void look() {
        observer.look(assignment.all(), commits, rebalances.count());
    }

    /** Emits nothing of the partitions until somebody reads them again. */
    void park(Collection<AssignedPartition> partitions) {
        emission.takeBack(partitions);
        for (AssignedPartition partition : partitions) {
            partition.parked = true;
            assignment.pause(partition);
        }
        commits.bringForward();
    }

    /** Whether records are still wanted. */
    boolean isEmitting() {
        return !emission.isEnded();
    }

    Pauses pauses() {
        return pauses;
    }

    Assignment assignment() {
        return assignment;
    }

    Positions positions() {
        return positions;
    }

    /** Why nothing of the partition is read that the brokers could change, in words; null if there is no such reason. */
    @Nullable
    String trouble(AssignedPartition partition) {
        String trouble = positions.trouble(partition);
        return trouble == null ? boundedRead.trouble(partition) : trouble;
    }
}
