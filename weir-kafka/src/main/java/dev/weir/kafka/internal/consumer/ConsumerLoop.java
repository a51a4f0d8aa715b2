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
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The owner of one consumer: the only thread that touches the client, the assignment and the trackers. Other threads
 * talk to it through volatile requests and {@link #wake}.
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

    private static final long SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long ERROR_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** Per record, beside key and value: the record object, its headers and its place in batch and tracker. */
    private static final int RECORD_OVERHEAD_BYTES = 128;

    private final Consumer<byte[], byte[]> client;
    private final Subscription subscription;
    private final Map<TopicPartition, Long> endOffsets;
    private final StageContext context;
    private final RecordBuffer buffer;
    private final Map<TopicPartition, AssignedPartition> assignment = new LinkedHashMap<>();
    private final FlowControl flow;
    private final Commits commits;
    private final Rebalances rebalances;
    private final int trackerCapacity;
    private final CompletableFuture<String> closed = new CompletableFuture<>();

    // Requests of other threads.
    private volatile boolean stopRequested;
    private volatile boolean closeRequested;
    private volatile long closeDeadlineNanos;
    private volatile boolean signalled;
    private volatile boolean polling;
    private volatile @Nullable Thread owner;

    // Written by the owner thread for others.
    private volatile ConsumerSnapshot snapshot = new ConsumerSnapshot(List.of(), 0, 0, 0, 0);

    // Owner thread.
    private boolean emitting = true;
    private boolean stopped;
    private boolean everAssigned;
    private long snapshotNanos;

    ConsumerLoop(
            Consumer<byte[], byte[]> client,
            ConsumerSettings<?, ?> settings,
            int maxPollRecords,
            Subscription subscription,
            Map<TopicPartition, Long> endOffsets,
            StageContext context,
            RecordBuffer buffer) {
        this.client = client;
        this.subscription = subscription;
        this.endOffsets = endOffsets;
        this.context = context;
        this.buffer = buffer;
        this.flow = new FlowControl(settings);
        this.commits = new Commits(client, assignment, settings);
        this.rebalances = new Rebalances(this, settings.revokeDeadline());
        this.trackerCapacity = settings.maxOutstandingRecords() + maxPollRecords;
    }

    // ---- Any thread ------------------------------------------------------------------------------------------------

    /** Makes the owner look at what has changed, soon. */
    void wake() {
        signalled = true;
        if (polling) {
            client.wakeup();
        }
        LockSupport.unpark(owner);
    }

    /** Asks for the end of emission. What has been emitted may still be finished, and is committed. */
    void stop() {
        stopRequested = true;
        wake();
    }

    /** Asks for the end and waits for it. See {@link StageContext.Termination}. */
    String close(Duration patience) {
        closeDeadlineNanos = System.nanoTime() + patience.toNanos();
        closeRequested = true;
        wake();
        return closed.join();
    }

    @Override
    public ConsumerSnapshot snapshot() {
        return snapshot;
    }

    // ---- Owner thread ----------------------------------------------------------------------------------------------

    @Override
    public void run() {
        owner = Thread.currentThread();
        String leftUndone = "";
        try {
            client.subscribe(subscription.topics(), rebalances);
            while (!closeRequested) {
                turn();
            }
            finishUnfinished();
            leftUndone = commits.commitNow(assignment.values());
        } catch (KafkaException failure) {
            context.fail(describe(failure));
        } catch (RuntimeException | Error failure) {
            context.fail(failure);
        } finally {
            buffer.end();
            leftUndone = closeClient(leftUndone);
            closed.complete(leftUndone);
        }
    }

    /** One round: requests, resumes, commits, then a poll that waits no longer than the next of these is due. */
    private void turn() {
        signalled = false;
        if (stopRequested && !stopped) {
            stopEmission();
        }
        flow.resumeLow(assignment, client);
        commits.throwFatal();
        commits.commitIfDue();
        poll();
        long now = System.nanoTime();
        if (now - snapshotNanos >= SNAPSHOT_NANOS) {
            snapshotNanos = now;
            snapshot = takeSnapshot();
        }
        if (subscription.isUntilEnd() && emitting) {
            endWhenAllRead();
        }
    }

    private void poll() {
        long untilCommit = Math.max(0, commits.dueNanos() - System.nanoTime());
        Duration timeout = Duration.ofNanos(Math.min(MAX_POLL_NANOS, untilCommit));
        polling = true;
        try {
            // A signal after this look finds `polling` set and wakes the poll itself.
            emit(client.poll(signalled ? Duration.ZERO : timeout));
        } catch (WakeupException woken) {
            return;
        } catch (RetriableException passing) {
            LOG.warn("poll failed, trying again: {}", passing.toString());
            LockSupport.parkNanos(ERROR_PAUSE_NANOS);
        } finally {
            polling = false;
        }
    }

    private void emit(ConsumerRecords<byte[], byte[]> records) {
        for (TopicPartition id : records.partitions()) {
            AssignedPartition partition = assignment.get(id);
            if (partition == null) {
                continue;
            }
            if (!emitting) {
                // Dropped, so the client's position says nothing any more about what is finished.
                partition.tracker.seal();
                continue;
            }
            List<ConsumerRecord<byte[], byte[]>> list = records.records(id);
            int count = countBefore(partition.endOffset, list);
            for (int from = 0; from < count; from += Batch.DEFAULT_CAPACITY) {
                emit(partition.tracker, list, from, Math.min(count, from + Batch.DEFAULT_CAPACITY));
            }
            commits.advanced(partition.tracker.advance());
            flow.afterFetch(partition, assignment.size(), client);
        }
    }

    private static int countBefore(long endOffset, List<ConsumerRecord<byte[], byte[]>> list) {
        int count = list.size();
        while (count > 0 && list.get(count - 1).offset() >= endOffset) {
            count--;
        }
        return count;
    }

    private void emit(OffsetTracker tracker, List<ConsumerRecord<byte[], byte[]>> list, int from, int to) {
        int size = to - from;
        Object[] values = new Object[size];
        long[] tokens = new long[size];
        for (int i = 0; i < size; i++) {
            ConsumerRecord<byte[], byte[]> record = list.get(from + i);
            values[i] = record;
            tokens[i] = tracker.append(record.offset(), weight(record));
        }
        buffer.add(tracker, tokens[0], Batch.of(values, size, tracker, tokens));
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
        client.pause(assignment.keySet());
    }

    void forgetBuffered(Collection<AssignedPartition> partitions) {
        Map<OffsetTracker, Long> purged = buffer.purge(
                partitions.stream().map(partition -> partition.tracker).collect(Collectors.toSet()));
        purged.forEach(OffsetTracker::forgetFrom);
    }

    /** Ends a bounded read once every assigned partition is at its end; what is buffered still goes out. */
    private void endWhenAllRead() {
        boolean all = everAssigned;
        for (AssignedPartition partition : assignment.values()) {
            if (!partition.atEnd && isReadToEnd(partition)) {
                partition.atEnd = true;
                if (!partition.paused) {
                    partition.paused = true;
                    client.pause(List.of(partition.id));
                }
            }
            all &= partition.atEnd;
        }
        if (all) {
            emitting = false;
            buffer.end();
        }
    }

    private boolean isReadToEnd(AssignedPartition partition) {
        try {
            return client.position(partition.id, Duration.ZERO) >= partition.endOffset;
        } catch (RetriableException | IllegalStateException notYetKnown) {
            return false;
        }
    }

    // ---- Owner thread, called by Rebalances inside a poll ----------------------------------------------------------

    void assigned(Collection<TopicPartition> ids) {
        everAssigned = true;
        for (TopicPartition id : ids) {
            long endOffset = subscription.isUntilEnd() ? endOffsets.getOrDefault(id, 0L) : Long.MAX_VALUE;
            AssignedPartition partition =
                    new AssignedPartition(id, new OffsetTracker(trackerCapacity, this::wake), endOffset);
            partition.paused = !emitting;
            assignment.put(id, partition);
        }
        if (!emitting) {
            client.pause(ids);
        }
    }

    /** Takes partitions out of the assignment: nothing of them is emitted from now on. */
    List<AssignedPartition> withdraw(Collection<TopicPartition> ids) {
        List<AssignedPartition> withdrawn =
                ids.stream().map(assignment::remove).filter(Objects::nonNull).toList();
        forgetBuffered(withdrawn);
        return withdrawn;
    }

    /** Waits until all that was pulled of the partitions is finished; false if that was not so by the deadline. */
    boolean awaitFinished(Collection<AssignedPartition> partitions, long deadlineNanos) {
        boolean wasPolling = polling;
        polling = false;
        try {
            for (AssignedPartition partition : partitions) {
                while (true) {
                    partition.tracker.advance();
                    if (partition.tracker.isIdle()) {
                        break;
                    }
                    long left = deadlineNanos - System.nanoTime();
                    if (left <= 0) {
                        return false;
                    }
                    if (partition.tracker.watchHead()) {
                        LockSupport.parkNanos(this, left);
                    }
                }
            }
            return true;
        } finally {
            polling = wasPolling;
        }
    }

    String commitNow(Collection<AssignedPartition> partitions) {
        boolean wasPolling = polling;
        polling = false;
        try {
            return commits.commitNow(partitions);
        } finally {
            polling = wasPolling;
        }
    }

    // ---- Owner thread, ending --------------------------------------------------------------------------------------

    /** Polls on, so that membership lasts, until everything emitted is finished or patience is at its end. */
    private void finishUnfinished() {
        if (!stopped) {
            stopEmission();
        }
        while (System.nanoTime() - closeDeadlineNanos < 0
                && assignment.values().stream().anyMatch(this::hasUnfinished)) {
            commits.commitIfDue();
            poll();
        }
    }

    private boolean hasUnfinished(AssignedPartition partition) {
        do {
            partition.tracker.advance();
            if (partition.tracker.isIdle()) {
                return false;
            }
        } while (!partition.tracker.watchHead());
        return true;
    }

    private String closeClient(String leftUndone) {
        String unfinished = assignment.values().stream()
                .filter(this::hasUnfinished)
                .map(partition -> partition + "@" + partition.tracker.committableOffset() + " and "
                        + (partition.tracker.outstanding() - 1) + " after it")
                .collect(Collectors.joining(", "));
        snapshot = takeSnapshot();
        rebalances.closing();
        assignment.clear();
        try {
            client.close(CloseOptions.timeout(Duration.ofSeconds(10)));
        } catch (KafkaException failure) {
            LOG.warn("closing the consumer failed: {}", failure.toString());
        }
        if (unfinished.isEmpty()) {
            return leftUndone;
        }
        String first = "unfinished, to be read again: " + unfinished;
        return leftUndone.isEmpty() ? first : first + "; " + leftUndone;
    }

    private KafkaPipelineException describe(KafkaException failure) {
        return new KafkaPipelineException(
                "consuming " + subscription.topics() + " failed: " + failure.getMessage(), failure);
    }

    private ConsumerSnapshot takeSnapshot() {
        List<ConsumerSnapshot.PartitionSnapshot> partitions = assignment.values().stream()
                .map(partition -> {
                    partition.tracker.advance();
                    OptionalLong behind = currentLag(partition.id);
                    return new ConsumerSnapshot.PartitionSnapshot(
                            partition.id.topic(),
                            partition.id.partition(),
                            partition.paused && !partition.atEnd,
                            partition.tracker.outstanding(),
                            partition.committedOffset,
                            behind.isPresent() ? behind.getAsLong() + partition.tracker.outstanding() : -1);
                })
                .toList();
        return new ConsumerSnapshot(
                partitions, buffer.records(), commits.succeeded(), commits.failed(), rebalances.count());
    }

    private OptionalLong currentLag(TopicPartition id) {
        try {
            return client.currentLag(id);
        } catch (IllegalStateException notAssigned) {
            return OptionalLong.empty();
        }
    }
}
