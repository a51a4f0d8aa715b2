package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.OnClose;
import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.buffer.PausedPartitions;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.commit.OffsetCommits;
import dev.weir.kafka.internal.in.commit.OffsetTexts;
import dev.weir.kafka.internal.in.fetch.RecordFetcher;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.stream.spi.Thrown;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CloseOptions.GroupMembershipOperation;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.errors.RebalanceInProgressException;

/**
 * Ends a consumer: stops emission, waits for unfinished records, makes the last commit and closes the client. Each step
 * enters its {@link ConsumerPhase}. Confined to the owner thread, which performs each step at most once.
 */
final class ConsumerEnding {

    private static final ConsumerLog LOG = ConsumerLog.of(ConsumerEnding.class);

    /** Timeout of each poll while a rebalance delays the last commit. */
    private static final long REBALANCE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Maximum time for closing the client, even if no broker responds. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(8);

    private final ConsumerOwner owner;
    private final PartitionAssignment assignment;
    private final BatchEmission emission;
    private final PausedPartitions pauses;
    private final DeliveryCommits delivery;
    private final PollIntake intake;
    private final RebalanceHooks hooks;
    private final ConsumerObserver observer;
    private final PipelineReaders readers;
    private final OwnerClock clock;

    ConsumerEnding(ConsumerLoop.Parts parts, PausedPartitions pauses) {
        this.owner = parts.owner();
        this.assignment = parts.assignment();
        this.emission = parts.emission();
        this.pauses = pauses;
        this.delivery = parts.delivery();
        this.intake = parts.intake();
        this.hooks = parts.hooks();
        this.observer = parts.observer();
        this.readers = parts.readers();
        this.clock = parts.clock();
    }

    /** Ends emission because everything was read. The buffered records are still emitted. */
    void drain() {
        boolean ignored = owner.enter(ConsumerPhase.DRAINING);
        emission.end();
    }

    /** Ends emission. Drops the records that were not pulled, and fetches nothing more. */
    void stopEmission() {
        if (!owner.enter(ConsumerPhase.STOPPED)) {
            return;
        }
        emission.end();
        emission.takeBackUnpromised(assignment.all());
        if (emission.commitsAhead()) {
            // The buffered records are already committed, and no other member would receive them. Let the pipeline pull
            // them.
            pauses.resumeAll();
        }
        assignment.fetchNoMore();
    }

    /**
     * Waits until all emitted records are finished or the close timeout has passed. Polls meanwhile, to remain in the
     * group.
     */
    void finishUnfinished() {
        stopEmission();
        boolean ignored = owner.enter(ConsumerPhase.CLOSING);
        if (emission.commitsAhead()) {
            // With at-most-once delivery, a pulled record is finished. There is nothing to wait for.
            assignment.all().forEach(AssignedPartition::advance);
            return;
        }
        while (true) {
            owner.clearSignal();
            long left = owner.withinPatience(Long.MAX_VALUE);
            if (left <= 0 || assignment.all().stream().noneMatch(AssignedPartition::hasUnsettled)) {
                return;
            }
            delivery.commitIfDue(assignment.all());
            intake.poll(Math.min(left, delivery.nanosUntilDue()));
            observer.lookIfDue();
        }
    }

    /**
     * Commits finished records, even after a failure. Adds a description of the unfinished records to
     * {@code leftUndone}. Afterwards, the client may be closed.
     */
    void commitAtLast(List<String> leftUndone) {
        boolean ignored = owner.enter(ConsumerPhase.CLOSING);
        try {
            emission.end();
            commitWhenAllowed();
        } catch (RuntimeException failure) {
            LOG.warn("last commit failed: {}", OffsetTexts.messageOf(failure));
            leftUndone.add(OffsetTexts.messageOf(failure));
        } finally {
            release(leftUndone);
        }
    }

    /** Ends the work on all partitions, even after an error, because the user's hooks release resources. */
    private void release(List<String> leftUndone) {
        // Stages must not start work on these records once the listeners are notified.
        assignment.all().forEach(partition -> partition.tracker().revoke());
        readers.dropRevoked();
        hooks.revoked(assignment.ids(), hooks.deadline());
        // These records are read again, even if they were finished after the last commit.
        String what = emission.isTracked() ? "unfinished, to be read again: " : "fetched and not pulled: ";
        String unfinished = PartitionAssignment.unfinished(assignment.all());
        if (!unfinished.isEmpty()) {
            leftUndone.add(0, what + unfinished);
        }
        emission.takeBackUnpromised(assignment.all());
        assignment.dropped().leave(assignment.all());
        observer.look();
    }

    /** Closes the client and all connections. Leaves the group or remains in it, as configured. */
    void closeClient(Consumer<?, ?> client, RecordFetcher fetcher, OnClose onClose) {
        boolean ignored = owner.enter(ConsumerPhase.CLOSED);
        assignment.clear();
        CloseOptions options = CloseOptions.timeout(CLOSE_TIMEOUT).withGroupMembershipOperation(operation(onClose));
        try {
            closeQuietly(fetcher::close);
        } finally {
            closeQuietly(() -> client.close(options));
        }
    }

    private static GroupMembershipOperation operation(OnClose onClose) {
        return switch (onClose) {
            case DEFAULT -> GroupMembershipOperation.DEFAULT;
            case LEAVE -> GroupMembershipOperation.LEAVE_GROUP;
            case REMAIN -> GroupMembershipOperation.REMAIN_IN_GROUP;
        };
    }

    private static void closeQuietly(Runnable close) {
        try {
            close.run();
        } catch (RuntimeException failure) {
            LOG.warn("closing the consumer failed: {}", Thrown.text(failure));
        }
    }

    /** Commits as soon as the client allows it. During a rebalance, polls the client and tries again. */
    private void commitWhenAllowed() {
        long deadlineNanos = clock.nanoTime() + OffsetCommits.SYNC_NANOS;
        while (true) {
            // If the signal stayed set, every poll would return immediately.
            owner.clearSignal();
            long left = deadlineNanos - clock.nanoTime();
            try {
                delivery.commitNow(assignment.all(), left);
                return;
            } catch (RebalanceInProgressException pollFirst) {
                if (left <= 0) {
                    throw pollFirst;
                }
                intake.poll(Math.min(left, REBALANCE_POLL_NANOS));
            }
        }
    }
}
