package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.ConsumerHandle;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.ConsumerSnapshot;
import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.Subscription;
import dev.weir.kafka.internal.offsets.OffsetTracker;
import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.StageContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RebalanceInProgressException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
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
final class ConsumerLoop implements Runnable, ConsumerHandle {

    private static final Logger LOG = LoggerFactory.getLogger(ConsumerLoop.class);

    /** How long a poll waits when nothing is due: only the snapshot ages meanwhile. */
    private static final long MAX_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long MIN_SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** The share of the owner's time that snapshots may take is one in so many; they cost more the more partitions. */
    private static final int SNAPSHOT_COST_RATIO = 100;

    /** How often a bounded read that has no partition asks how far the group is, and how long it waits for the answer. */
    private static final Duration GROUP_LOOK = Duration.ofSeconds(1);

    /** One round of a rebalance that the last commit has to wait for. */
    private static final long REBALANCE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long partitions wait at their start for what an earlier assignment had finished. */
    private static final long RESTORE_NANOS = TimeUnit.SECONDS.toNanos(3);

    /** With the last commit, what an end takes at most beyond its patience, also with brokers away. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(8);

    /** Per record, beside key and value: the record object, its headers and its place in batch and tracker. */
    private static final int RECORD_OVERHEAD_BYTES = 128;

    private final Consumer<?, ?> client;
    private final Fetcher fetcher;
    private final Subscription subscription;
    private final Map<TopicPartition, Long> endOffsets;
    private final StageContext context;
    private final RecordBuffer buffer;
    private final Map<TopicPartition, AssignedPartition> assignment = new LinkedHashMap<>();
    private final FlowControl flow;
    private final Commits commits;
    private final Waiting waiting;
    private final Rebalances rebalances;
    private final Positions positions;
    private final Clock clock;
    private final int trackerCapacity;
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    // Requests of other threads.
    private final Queue<Runnable> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean stopRequested;
    private volatile boolean closeRequested;
    private volatile long closeDeadlineNanos;

    // Written by the owner thread for others.
    private volatile ConsumerSnapshot snapshot = new ConsumerSnapshot(List.of(), 0, 0, 0, 0);

    // Owner thread.
    private boolean emitting = true;
    private boolean stopped;
    private long groupLookDueNanos;
    private long snapshotDueNanos;

    ConsumerLoop(
            Consumer<?, ?> client,
            Fetcher fetcher,
            ConsumerSettings<?, ?> settings,
            ClientLimits limits,
            Subscription subscription,
            Map<TopicPartition, Long> endOffsets,
            StageContext context,
            RecordBuffer buffer,
            Lookup lookup,
            Clock clock) {
        this.client = client;
        this.fetcher = fetcher;
        this.subscription = subscription;
        this.endOffsets = endOffsets;
        this.context = context;
        this.buffer = buffer;
        this.clock = clock;
        this.flow = new FlowControl(settings);
        this.commits = new Commits(client, fetcher, assignment, settings, clock);
        this.waiting = new Waiting(fetcher, clock);
        this.rebalances = new Rebalances(this, waiting, limits.revokeDeadline(settings));
        this.positions = new Positions(this, subscription, settings, lookup, this::execute);
        this.trackerCapacity = settings.maxOutstandingRecords() + limits.maxPollRecords();
        this.snapshotDueNanos = clock.nanoTime();
        this.groupLookDueNanos = clock.nanoTime();
    }

    // ---- Any thread ------------------------------------------------------------------------------------------------

    /** Asks for the end of emission. What has been emitted may still be finished, and is committed. */
    void stop() {
        stopRequested = true;
        waiting.wake();
    }

    /** Asks for the end and waits for it and for the owner thread. See {@link StageContext.Termination}. */
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

    /** Runs {@code request} on the owner thread, soon, unless it ends before. */
    private void execute(Runnable request) {
        requests.add(request);
        waiting.wake();
    }

    @Override
    public ConsumerSnapshot snapshot() {
        return snapshot;
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
            context.fail(new KafkaPipelineException(
                    "consuming " + subscription.selection() + " failed: " + failure.getMessage(), failure));
        } catch (RuntimeException | Error failure) {
            context.fail(failure);
        } finally {
            end();
        }
    }

    private void subscribe() {
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
        if (stopRequested && !stopped) {
            stopEmission();
        }
        runRequests();
        flow.resumeLow(assignment, fetcher);
        commits.throwFatal();
        commits.commitIfDue();
        poll(Math.min(MAX_POLL_NANOS, commits.nanosUntilDue()));
        long now = clock.nanoTime();
        if (now - snapshotDueNanos >= 0) {
            snapshot = takeSnapshot();
            long end = clock.nanoTime();
            snapshotDueNanos = end + Math.max(MIN_SNAPSHOT_NANOS, (end - now) * SNAPSHOT_COST_RATIO);
        }
        if (subscription.isBounded() && emitting) {
            endWhenAllRead();
        }
    }

    private void runRequests() {
        for (Runnable request = requests.poll(); request != null; request = requests.poll()) {
            request.run();
        }
    }

    private void poll(long nanos) {
        try {
            emit(waiting.poll(nanos));
        } catch (InvalidOffsetException unknown) {
            positions.unknown(unknown);
        }
    }

    private void emit(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            AssignedPartition partition = assignment.get(id);
            if (partition == null) {
                continue;
            }
            List<ConsumerRecord<byte[], byte[]>> list = records.records(id);
            int count = emitting ? countBefore(partition.endOffset, list) : 0;
            for (int from = 0; from < count; from += Batch.DEFAULT_CAPACITY) {
                emit(partition, list, from, Math.min(count, from + Batch.DEFAULT_CAPACITY));
            }
            if (count < list.size()) {
                partition.dropped(list.get(count).offset());
            }
            partition.advance();
            flow.afterFetch(partition, assignment.size(), fetcher);
        }
        if (!records.isEmpty()) {
            flow.afterPoll(assignment, fetcher);
        }
    }

    private static int countBefore(long endOffset, List<ConsumerRecord<byte[], byte[]>> list) {
        int count = list.size();
        while (count > 0 && list.get(count - 1).offset() >= endOffset) {
            count--;
        }
        return count;
    }

    private void emit(AssignedPartition partition, List<ConsumerRecord<byte[], byte[]>> list, int from, int to) {
        Object[] values = new Object[to - from];
        long[] tokens = new long[to - from];
        int size = 0;
        for (int i = from; i < to; i++) {
            ConsumerRecord<byte[], byte[]> record = list.get(i);
            if (partition.finishedEarlier.contains(record.offset())) {
                partition.tracker.appendFinished(record.offset());
            } else {
                values[size] = record;
                tokens[size++] = partition.tracker.append(record.offset(), weight(record));
            }
        }
        if (size > 0) {
            buffer.add(partition, Batch.of(values, size, partition.tracker, tokens));
        }
    }

    private static int weight(ConsumerRecord<byte[], byte[]> record) {
        return RECORD_OVERHEAD_BYTES
                + Math.max(0, record.serializedKeySize())
                + Math.max(0, record.serializedValueSize());
    }

    /** Ends emission: what was not pulled yet is forgotten, and nothing more is fetched. */
    private void stopEmission() {
        stopped = true;
        emitting = false;
        buffer.end();
        forgetBuffered(assignment.values());
        for (AssignedPartition partition : assignment.values()) {
            partition.atEnd = true;
            partition.paused = true;
        }
        fetcher.pause(assignment.keySet());
    }

    private void forgetBuffered(Collection<AssignedPartition> partitions) {
        buffer.purge(partitions).forEach((partition, token) -> partition.dropped(partition.tracker.forgetFrom(token)));
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
                if (!partition.paused) {
                    partition.paused = true;
                    fetcher.pause(List.of(partition.id));
                }
            }
            all &= partition.atEnd;
        }
        if (all) {
            emitting = false;
            buffer.end();
        }
    }

    private boolean isGroupThrough() {
        if (clock.nanoTime() - groupLookDueNanos < 0) {
            return false;
        }
        try {
            Map<TopicPartition, OffsetAndMetadata> committed = client.committed(endOffsets.keySet(), GROUP_LOOK);
            return endOffsets.entrySet().stream().allMatch(end -> {
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
        for (TopicPartition id : ids) {
            assignment.put(id, newPartition(id));
        }
        commits.restore(ids, withinPatience(RESTORE_NANOS));
        positions.assigned(current(ids));
    }

    private AssignedPartition newPartition(TopicPartition id) {
        long endOffset = subscription.isBounded() ? endOffsets.getOrDefault(id, 0L) : Long.MAX_VALUE;
        return new AssignedPartition(id, new OffsetTracker(trackerCapacity, waiting::wake), endOffset);
    }

    /** Takes partitions out of the assignment: from now on nothing of them is emitted, nor any work on them begun. */
    List<AssignedPartition> withdraw(Collection<TopicPartition> ids) {
        List<AssignedPartition> withdrawn =
                ids.stream().map(assignment::remove).filter(Objects::nonNull).toList();
        fetcher.withdrawn(ids);
        forgetBuffered(withdrawn);
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

    void commitNow(Collection<AssignedPartition> partitions) {
        commits.commitNow(partitions, Commits.SYNC_NANOS);
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

    /** Begins a partition anew: what was read of it so far does not count any more, finished or not. */
    AssignedPartition renew(AssignedPartition partition) {
        forgetBuffered(List.of(partition));
        AssignedPartition renewed = newPartition(partition.id);
        renewed.paused = partition.paused;
        renewed.atEnd = !emitting;
        assignment.put(partition.id, renewed);
        return renewed;
    }

    /** Fetches and commits nothing of the partitions until {@link #release}. */
    void hold(Collection<AssignedPartition> partitions) {
        for (AssignedPartition partition : partitions) {
            partition.held = true;
            if (!partition.paused) {
                partition.paused = true;
                fetcher.pause(List.of(partition.id));
            }
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
            commits.commitIfDue();
            poll(Math.min(Math.min(left, MAX_POLL_NANOS), commits.nanosUntilDue()));
        }
    }

    /** Commits what is finished, also after a failure, and closes the client. Always answers {@link #close}. */
    private void end() {
        List<String> leftUndone = new ArrayList<>();
        try {
            buffer.end();
            commitAtLast();
        } catch (RuntimeException failure) {
            LOG.warn("last commit failed: {}", failure.toString());
            leftUndone.add(String.valueOf(failure.getMessage()));
        }
        try {
            // As the commit saw it: what is finished after that is read again as well.
            String unfinished = assignment.values().stream()
                    .filter(partition -> !partition.tracker.isIdle())
                    .map(partition -> partition + "@" + partition.tracker.committableOffset() + " and "
                            + (partition.tracker.outstanding() - 1) + " after it")
                    .collect(Collectors.joining(", "));
            if (!unfinished.isEmpty()) {
                leftUndone.add(0, "unfinished, to be read again: " + unfinished);
            }
            snapshot = takeSnapshot();
        } finally {
            closeClient();
            closed.complete(String.join("; ", leftUndone));
        }
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

    private ConsumerSnapshot takeSnapshot() {
        List<ConsumerSnapshot.PartitionSnapshot> partitions = assignment.values().stream()
                .map(partition -> {
                    partition.advance();
                    long behind = fetcher.lag(partition.id);
                    return new ConsumerSnapshot.PartitionSnapshot(
                            partition.id.topic(),
                            partition.id.partition(),
                            partition.paused && !partition.atEnd,
                            partition.tracker.outstanding(),
                            partition.committedOffset,
                            behind == Fetcher.UNKNOWN ? -1 : behind + partition.tracker.outstanding());
                })
                .toList();
        return new ConsumerSnapshot(
                partitions, buffer.records(), commits.succeeded(), commits.failed(), rebalances.count());
    }
}
