package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.consumer.Plan.Delivery;
import dev.weir.kafka.internal.offsets.FinishedSet;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of one consumer: the only thread that touches the client, the fetcher, the assignment and the trackers. Other threads
 * talk to it through volatile requests and {@link Waiting#wake}.
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

    private static final Logger LOG = LoggerFactory.getLogger(ConsumerLoop.class);

    /** How long a poll waits when nothing is due: only the snapshot ages meanwhile. */
    private static final long MAX_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How often a bounded read that has no partition asks how far the group is, and how long it waits for the answer. */
    private static final Duration GROUP_LOOK = Duration.ofSeconds(1);

    /** One round of a rebalance that the last commit has to wait for. */
    private static final long REBALANCE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long partitions wait at their start for what an earlier assignment had finished. */
    private static final long RESTORE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** How long a rebalance listener's question for committed offsets may take. */
    private static final Duration COMMITTED_TIMEOUT = Duration.ofSeconds(5);

    /** With the last commit, what an end takes at most beyond its patience, also with brokers away. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(8);

    private final Consumer<?, ?> client;
    private final Fetcher fetcher;
    private final Plan plan;
    private final Subscription subscription;
    private final java.util.function.Consumer<Throwable> onFailure;
    private final Outlets outlets;
    private final Lookup lookup;
    private final @Nullable CommitAhead ahead;
    private final Map<TopicPartition, AssignedPartition> assignment = new LinkedHashMap<>();
    private final FlowControl flow;
    private final Emission emission;
    private final Observer observer;
    private final Commits commits;
    private final Waiting waiting;
    private final Rebalances rebalances;
    private final Positions positions;
    private final ConsumerControl control = new ConsumerControl(this);
    private final Hooks hooks;
    private final Clock clock;
    private final int trackerCapacity;
    private final long ungroupedLookNanos;
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    // Requests of other threads.
    private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean stopRequested;
    private volatile boolean closeRequested;
    private volatile long closeDeadlineNanos;

    /** Set before there is a pipeline. */
    private volatile @Nullable Parking parking;

    // Owner thread.
    private boolean emitting = true;
    private boolean stopped;
    private long groupLookDueNanos;
    private long ungroupedLookDueNanos;

    ConsumerLoop(
            Consumer<?, ?> client,
            Fetcher fetcher,
            ConsumerSettings<?, ?> settings,
            ClientLimits limits,
            Plan plan,
            java.util.function.Consumer<Throwable> onFailure,
            Outlets outlets,
            Lookup lookup,
            Clock clock) {
        this.client = client;
        this.fetcher = fetcher;
        this.plan = plan;
        this.subscription = plan.subscription();
        this.onFailure = onFailure;
        this.outlets = outlets;
        this.lookup = lookup;
        this.clock = clock;
        this.flow = new FlowControl(settings, plan.isCommittable() ? 1 : Batch.DEFAULT_CAPACITY);
        this.commits = new Commits(client, fetcher, assignment, settings, clock);
        this.waiting = new Waiting(fetcher, clock);
        Duration revokeDeadline = limits.revokeDeadline(settings);
        this.hooks = new Hooks(
                this, settings.rebalanceListener(), plan.external(), waiting, clock, revokeDeadline.toNanos());
        this.rebalances = new Rebalances(this, hooks, waiting, revokeDeadline);
        this.ahead = plan.delivery() instanceof Delivery.AtMostOnce atMostOnce
                ? new CommitAhead(client, commits, outlets, atMostOnce.commitAhead(), waiting::wake)
                : null;
        this.emission = new Emission(plan.isCommittable(), ahead);
        this.positions = new Positions(this, plan, settings, lookup, this::execute);
        this.ungroupedLookNanos = limits.metadataAge().toNanos();
        this.ungroupedLookDueNanos = clock.nanoTime() + ungroupedLookNanos;
        this.trackerCapacity = settings.maxOutstandingRecords() + limits.maxPollRecords();
        this.observer = new Observer(
                this,
                fetcher,
                flow,
                outlets,
                lookup,
                clock,
                subscription.selection().toString(),
                plan.isCommittable(),
                limits.maxPollInterval());
        this.groupLookDueNanos = clock.nanoTime();
    }

    // ---- Any thread ------------------------------------------------------------------------------------------------

    /** Asks for the end of emission. What has been emitted may still be finished, and is committed. */
    void stop() {
        stopRequested = true;
        waiting.wake();
    }

    /** Asks for the end and waits for it and for the owner thread. See {@link dev.weir.stream.spi.StageContext.Termination}. */
    String close(Duration patience) {
        requestClose(patience);
        String leftUndone = closed.join();
        waiting.awaitOwnerGone();
        return leftUndone;
    }

    void requestClose(Duration patience) {
        closeDeadlineNanos = clock.nanoTime() + patience.toNanos();
        closeRequested = true;
        waiting.wake();
    }

    /** Whether each record is acknowledged; otherwise the first token of a batch stands for it until it is pulled. */
    boolean isTracked() {
        return plan.isCommittable();
    }

    /** The pipeline has pulled a batch. */
    void taken() {
        if (ahead != null && ahead.wantsRoom()) {
            waiting.wake();
        }
    }

    /** Gives up a partition whose stream nobody reads any more. */
    void abandon(AssignedPartition partition) {
        execute(() -> {
            if (isCurrent(partition)) {
                forgetBuffered(List.of(partition));
                partition.atEnd = true;
                pause(partition);
            }
        });
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

    /** Runs {@code request} on the owner thread, soon, unless it ends before. */
    void execute(Runnable request) {
        requests.add(request);
        waiting.wake();
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
            while (!closeRequested) {
                turn();
            }
            finishUnfinished();
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
        if (!plan.ungrouped().isEmpty()) {
            client.assign(plan.ungrouped());
            assigned(plan.ungrouped());
            return;
        }
        switch (subscription.selection()) {
            case Subscription.Topics topics -> client.subscribe(topics.names(), rebalances);
            case Subscription.Matching matching -> client.subscribe(Pattern.compile(matching.regex()), rebalances);
            case Subscription.Partitions partitions -> {
                client.assign(partitions.ids());
                assigned(partitions.ids());
            }
        }
    }

    /** One round: requests, resumes, commits, then a poll that waits no longer than the next of these is due. */
    private void turn() {
        waiting.clearSignal();
        if (stopRequested && !stopped && (ahead == null || !ahead.isUnderWay())) {
            stopEmission();
        }
        runRequests();
        flow.resumeLow(assignment, fetcher);
        commits.throwFatal();
        commitIfDue();
        lookForPartitionsIfDue();
        poll(Math.min(untilDetached(), Math.min(MAX_POLL_NANOS, untilCommit())));
        observer.lookIfDue(assignment.values(), commits, rebalances.count());
        if (subscription.isBounded() && emitting) {
            endWhenAllRead();
        }
    }

    private long untilDetached() {
        Parking shared = parking;
        return shared == null ? Long.MAX_VALUE : Math.max(1, shared.detachFinished());
    }

    private void commitIfDue() {
        if (plan.isCommittable()) {
            commits.commitIfDue();
        } else if (ahead != null && !stopRequested) {
            ahead.commitNext();
        }
    }

    private long untilCommit() {
        return plan.isCommittable() || commits.isBackingOff() ? commits.nanosUntilDue() : Long.MAX_VALUE;
    }

    /** Without a group nobody tells that a topic, or a partition of it, is new. */
    private void lookForPartitionsIfDue() {
        boolean grows = !plan.ungrouped().isEmpty()
                && !subscription.isBounded()
                && !(subscription.selection() instanceof Subscription.Partitions);
        if (!grows || clock.nanoTime() - ungroupedLookDueNanos < 0) {
            return;
        }
        ungroupedLookDueNanos = clock.nanoTime() + ungroupedLookNanos;
        lookup.partitions(subscription.selection())
                .whenComplete((ids, failure) -> execute(() -> {
                    if (failure != null) {
                        LOG.warn(
                                "cannot look for new partitions of {}: {}",
                                subscription.selection(),
                                failure.toString());
                        return;
                    }
                    List<TopicPartition> added = ids.stream()
                            .filter(id -> !assignment.containsKey(id))
                            .toList();
                    if (!added.isEmpty()) {
                        Set<TopicPartition> all = new HashSet<>(assignment.keySet());
                        all.addAll(added);
                        client.assign(all);
                        assigned(added);
                    }
                }));
    }

    private void runRequests() {
        for (Runnable request = requests.poll(); request != null; request = requests.poll()) {
            request.run();
        }
    }

    private void poll(long nanos) {
        try {
            emit(waiting.poll(nanos));
            observer.polled();
        } catch (InvalidOffsetException unknown) {
            positions.unknown(unknown);
        }
    }

    private void emit(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            AssignedPartition partition = assignment.get(id);
            if (partition != null) {
                emission.emit(partition, records.records(id), emitting);
                partition.advance();
                flow.afterFetch(partition, assignment.size(), fetcher);
            }
        }
        if (!records.isEmpty()) {
            flow.afterPoll(assignment, fetcher);
        }
    }

    /** Ends emission: what was not pulled yet is forgotten, and nothing more is fetched. */
    private void stopEmission() {
        stopped = true;
        emitting = false;
        observer.state("stopped");
        outlets.end();
        forgetUnpromised(assignment.values());
        if (ahead != null) {
            // It was committed: nobody else will see it.
            control.resumeAll();
        }
        for (AssignedPartition partition : assignment.values()) {
            partition.atEnd = true;
            partition.paused = true;
        }
        fetcher.pause(assignment.keySet());
    }

    /** Drops what the pipeline need not see: all that it has not pulled, but for what was committed for it to see. */
    private void forgetUnpromised(Collection<AssignedPartition> partitions) {
        if (ahead == null) {
            forgetBuffered(partitions);
        } else {
            ahead.drop(partitions);
        }
    }

    private void forgetBuffered(Collection<AssignedPartition> partitions) {
        if (ahead != null) {
            ahead.drop(partitions);
        }
        for (AssignedPartition partition : partitions) {
            partition
                    .outlet
                    .purge(List.of(partition))
                    .forEach((same, token) -> same.dropped(same.tracker.forgetFrom(token)));
        }
    }

    /**
     * Ends a bounded read once every assigned partition is at its end; what is buffered still goes out. Without
     * partitions it stands by for those who have them, and ends when the group is through.
     */
    private void endWhenAllRead() {
        boolean all = !assignment.isEmpty() || isGroupThrough();
        for (AssignedPartition partition : assignment.values()) {
            if (!partition.atEnd && isReadToEnd(partition)) {
                partition.atEnd = true;
                pause(partition);
            }
            all &= partition.atEnd;
        }
        if (all && (ahead == null || ahead.records() == 0)) {
            emitting = false;
            outlets.end();
        }
    }

    private void pause(AssignedPartition partition) {
        if (!partition.paused) {
            partition.paused = true;
            fetcher.pause(List.of(partition.id));
        }
    }

    private boolean isGroupThrough() {
        if (clock.nanoTime() - groupLookDueNanos < 0) {
            return false;
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> committed =
                    client.committed(plan.endOffsets().keySet(), GROUP_LOOK);
            return plan.endOffsets().entrySet().stream().allMatch(end -> {
                OffsetAndMetadata offset = committed.get(end.getKey());
                return (offset == null ? 0 : offset.offset()) >= end.getValue();
            });
        } catch (RetriableException | WakeupException notNow) {
            return false;
        } finally {
            groupLookDueNanos = clock.nanoTime() + GROUP_LOOK.toNanos();
        }
    }

    private boolean isReadToEnd(AssignedPartition partition) {
        return fetcher.position(partition.id) >= partition.endOffset;
    }

    // ---- Owner thread, called by Rebalances inside a poll ----------------------------------------------------------

    void assigned(Collection<TopicPartition> ids) {
        fetcher.assigned(ids);
        if (!emitting) {
            // Nothing of them will be emitted, so there will be nothing to commit.
            fetcher.pause(ids);
            return;
        }
        int epoch = observer.assigned();
        for (TopicPartition id : ids) {
            AssignedPartition partition = newPartition(id);
            partition.epoch = epoch;
            outlets.open(partition);
            assignment.put(id, partition);
            control.assigned(partition);
            if (partition.parked) {
                pause(partition);
            }
        }
        if (plan.isCommittable()) {
            commits.restore(ids, withinPatience(RESTORE_NANOS));
        }
        hooks.assigned(Set.copyOf(ids));
        positions.assigned(current(ids));
    }

    private AssignedPartition newPartition(TopicPartition id) {
        long endOffset = subscription.isBounded() ? plan.endOffsets().getOrDefault(id, 0L) : Long.MAX_VALUE;
        return new AssignedPartition(id, new OffsetTracker(trackerCapacity, waiting::wake), endOffset);
    }

    /** Takes partitions out of the assignment: from now on nothing of them is emitted, nor any work on them begun. */
    List<AssignedPartition> withdraw(Collection<TopicPartition> ids) {
        List<AssignedPartition> withdrawn =
                ids.stream().map(assignment::remove).filter(Objects::nonNull).toList();
        fetcher.withdrawn(ids);
        forgetUnpromised(withdrawn);
        control.withdrawn(withdrawn);
        outlets.withdrawn(withdrawn);
        withdrawn.forEach(partition -> partition.tracker.revoke());
        return withdrawn;
    }

    /**
     * Waits until nothing of the partitions is being worked on, so all of it finished or dropped; false if that was not so in time. A close does not
     * wait longer here than anywhere: a failed pipeline will finish nothing more.
     */
    boolean awaitFinished(Collection<AssignedPartition> partitions, long nanos) {
        long deadlineNanos = clock.nanoTime() + nanos;
        for (AssignedPartition partition : partitions) {
            while (partition.isHeld()) {
                long left = withinPatience(deadlineNanos - clock.nanoTime());
                if (left <= 0) {
                    return false;
                }
                waiting.park(left);
            }
        }
        return true;
    }

    private long withinPatience(long nanos) {
        return closeRequested ? Math.min(nanos, closeDeadlineNanos - clock.nanoTime()) : nanos;
    }

    /** The end of lost partitions. */
    void drop(Collection<AssignedPartition> partitions) {
        forgetBuffered(partitions);
    }

    /** The last word on withdrawn partitions: what is finished is committed, what was not pulled is dropped. */
    void giveUp(Collection<AssignedPartition> partitions) {
        forgetBuffered(partitions);
        if (plan.isCommittable()) {
            commits.commitNow(partitions, Commits.SYNC_NANOS);
        }
    }

    // ---- Owner thread, called by Hooks -----------------------------------------------------------------------------

    void fail(RuntimeException failure) {
        onFailure.accept(failure);
    }

    Set<TopicPartition> assignedIds() {
        return Set.copyOf(assignment.keySet());
    }

    Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> ids) {
        return client.committed(ids, COMMITTED_TIMEOUT);
    }

    /** Lets a partition of which nothing was read begin at an offset. */
    void placeNew(TopicPartition id, long offset) {
        AssignedPartition partition = assignment.get(id);
        if (partition == null || partition.tracker.committableOffset() >= 0) {
            throw new IllegalStateException(
                    partition == null ? id + " is not assigned" : "records of " + id + " were read already");
        }
        partition.finishedEarlier = FinishedSet.EMPTY;
        release(partition, offset);
    }

    // ---- Owner thread, called by Positions -------------------------------------------------------------------------

    /** The assigned ones of the partitions. */
    List<AssignedPartition> current(Collection<TopicPartition> ids) {
        return ids.stream().map(assignment::get).filter(Objects::nonNull).toList();
    }

    /** Whether {@code partition} is still assigned and has not begun anew since. */
    boolean isCurrent(AssignedPartition partition) {
        return assignment.get(partition.id) == partition;
    }

    /** Emits nothing of the partitions until somebody reads them again. */
    void park(Collection<AssignedPartition> partitions) {
        forgetBuffered(partitions);
        for (AssignedPartition partition : partitions) {
            partition.parked = true;
            pause(partition);
        }
        commits.bringForward();
    }

    /** Whether records are still wanted. */
    boolean isEmitting() {
        return emitting;
    }

    Positions positions() {
        return positions;
    }

    /** Begins a partition anew: what was read of it so far does not count any more, finished or not. */
    AssignedPartition renew(AssignedPartition partition) {
        forgetBuffered(List.of(partition));
        partition.tracker.revoke();
        AssignedPartition renewed = newPartition(partition.id);
        renewed.outlet = partition.outlet;
        renewed.epoch = partition.epoch;
        renewed.paused = partition.paused;
        renewed.atEnd = !emitting;
        assignment.put(partition.id, renewed);
        control.assigned(renewed);
        return renewed;
    }

    /** Fetches and commits nothing of the partitions until {@link #release}. */
    void hold(Collection<AssignedPartition> partitions) {
        for (AssignedPartition partition : partitions) {
            partition.held = true;
            partition.finishedEarlier = FinishedSet.EMPTY;
            pause(partition);
            // Anywhere: a client without a position looks for one.
            fetcher.seek(partition.id, 0);
        }
    }

    /** Goes on at the offset. */
    void release(AssignedPartition partition, long offset) {
        fetcher.seek(partition.id, offset);
        partition.held = false;
        partition.placed = true;
    }

    /** Whether the client's next fetch of the partition would be at the offset. */
    boolean isAt(AssignedPartition partition, long offset) {
        return !partition.held && fetcher.position(partition.id) == offset;
    }

    // ---- Owner thread, ending --------------------------------------------------------------------------------------

    /** Polls on, so that membership lasts, until everything emitted is finished or patience is at its end. */
    private void finishUnfinished() {
        if (!stopped) {
            stopEmission();
        }
        while (true) {
            waiting.clearSignal();
            long left = closeDeadlineNanos - clock.nanoTime();
            if (left <= 0 || assignment.values().stream().noneMatch(AssignedPartition::isHeld)) {
                return;
            }
            commitIfDue();
            poll(Math.min(Math.min(left, MAX_POLL_NANOS), untilCommit()));
        }
    }

    /** Commits what is finished, also after a failure, and closes the client. Always answers {@link #close}. */
    private void end() {
        List<String> leftUndone = new ArrayList<>();
        try {
            outlets.end();
            if (plan.isCommittable()) {
                commitAtLast();
            }
            hooks.revoked(assignedIds());
        } catch (RuntimeException failure) {
            LOG.warn("last commit failed: {}", failure.toString());
            leftUndone.add(String.valueOf(failure.getMessage()));
        }
        try {
            // As the commit saw it: what is finished after that is read again as well.
            String what = isTracked() ? "unfinished, to be read again: " : "fetched and not pulled: ";
            String unfinished = unfinished(assignment.values());
            if (!unfinished.isEmpty()) {
                leftUndone.add(0, what + unfinished);
            }
            observer.look(assignment.values(), commits, rebalances.count());
            observer.state("closed");
        } finally {
            closeClient();
            closed.complete(String.join("; ", leftUndone));
            control.ended();
        }
    }

    /** The unfinished part of partitions, in words. */
    static String unfinished(Collection<AssignedPartition> partitions) {
        return partitions.stream()
                .filter(partition -> !partition.tracker.isIdle())
                .map(partition -> partition + "@" + partition.tracker.committableOffset() + " and "
                        + (partition.tracker.outstanding() - 1) + " after it")
                .collect(Collectors.joining(", "));
    }

    /** While the group rebalances, the client commits only what it is about to give up, and has to poll to get there. */
    private void commitAtLast() {
        long deadlineNanos = clock.nanoTime() + Commits.SYNC_NANOS;
        while (true) {
            long left = deadlineNanos - clock.nanoTime();
            try {
                commits.commitNow(assignment.values(), left);
                return;
            } catch (RebalanceInProgressException pollFirst) {
                if (left <= 0) {
                    throw pollFirst;
                }
                poll(Math.min(left, REBALANCE_POLL_NANOS));
            }
        }
    }

    private void closeClient() {
        rebalances.closing();
        assignment.clear();
        try {
            client.close(CloseOptions.timeout(CLOSE_TIMEOUT));
        } catch (RuntimeException failure) {
            LOG.warn("closing the consumer failed: {}", failure.toString());
        }
    }
}
