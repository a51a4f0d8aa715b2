package dev.weir.kafka.internal.in.owner;

import dev.weir.kafka.internal.in.buffer.AssignedPartition;
import dev.weir.kafka.internal.in.buffer.BatchEmission;
import dev.weir.kafka.internal.in.buffer.DroppedRecords.Reason;
import dev.weir.kafka.internal.in.buffer.PartitionAssignment;
import dev.weir.kafka.internal.in.commit.DeliveryCommits;
import dev.weir.kafka.internal.in.fetch.OwnerWaits;
import dev.weir.kafka.internal.in.lookup.ConsumerLog;
import dev.weir.kafka.internal.in.lookup.ConsumerPhase;
import dev.weir.kafka.internal.in.lookup.OwnerClock;
import dev.weir.kafka.internal.in.lookup.OwnerThread;
import dev.weir.stream.spi.Thrown;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Handles rebalances. The client calls it inside a poll, on the owner thread.
 *
 * <p>For revoked partitions, it stops emission, waits until the work in progress is finished or the deadline has
 * passed, and commits the finished records. Other partitions continue during this wait. For lost partitions, it neither
 * waits nor commits, because another member may already own them.
 */
final class RebalanceHandler implements ConsumerRebalanceListener {

    private static final ConsumerLog LOG = ConsumerLog.of(RebalanceHandler.class);

    /**
     * Interval between requests to drop revoked records. A single request would miss records that move from one stage
     * to the next.
     */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final OwnerThread owner;
    private final PartitionArrivals arrivals;
    private final PartitionAssignment assignment;
    private final BatchEmission emission;
    private final PollIntake intake;
    private final DeliveryCommits delivery;
    private final RebalanceHooks hooks;
    private final ConsumerObserver observer;
    private final PipelineReaders readers;
    private final OwnerWaits waiting;
    private final OwnerClock clock;
    private final RevokeTimes times;

    RebalanceHandler(ConsumerLoop.Parts parts, PartitionArrivals arrivals, OwnerWaits waiting, RevokeTimes times) {
        this.owner = parts.owner();
        this.arrivals = arrivals;
        this.assignment = parts.assignment();
        this.emission = parts.emission();
        this.intake = parts.intake();
        this.delivery = parts.delivery();
        this.hooks = parts.hooks();
        this.observer = parts.observer();
        this.readers = parts.readers();
        this.waiting = waiting;
        this.clock = parts.clock();
        this.times = times;
    }

    private boolean isClosed() {
        return owner.phase() == ConsumerPhase.CLOSED;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> ids) {
        if (!isClosed()) {
            waiting.inCallback(() -> arrivals.assigned(ids));
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> ids) {
        if (!isClosed() && !ids.isEmpty()) {
            observer.rebalanced();
            arrivals.withdraws(ids);
            waiting.inCallback(() -> {
                long begin = clock.nanoTime();
                release(assignment.withdraw(ids), times.workEnd(begin));
                observer.runLog().revoked(ids, assignment.ids().size());
                hooks.revoked(Set.copyOf(ids), times.hooksEnd(begin, clock.nanoTime()));
            });
        }
    }

    private void release(List<AssignedPartition> revoked, long deadlineNanos) {
        delivery.releasing(revoked);
        if (!awaitFinished(revoked, deadlineNanos)) {
            LOG.warn(
                    "gave up {} with work unfinished after {} ms; whoever takes them over repeats it",
                    revoked,
                    times.deadlineNanos() / 1_000_000);
        }
        emission.takeBack(revoked);
        try {
            delivery.commitNow(revoked, times.commitNanos());
        } catch (KafkaException failure) {
            LOG.warn("last commit of {} failed: {}", revoked, Thrown.text(failure));
        }
        assignment.dropped().add(revoked, Reason.REVOKED);
    }

    /** Waits until all records of the partitions are finished or dropped. Returns false after a timeout. */
    private boolean awaitFinished(Collection<AssignedPartition> partitions, long deadlineNanos) {
        for (AssignedPartition partition : partitions) {
            waiting.clearCallbackSignal();
            while (partition.hasUnsettled()) {
                long left = owner.withinPatience(deadlineNanos - clock.nanoTime());
                if (left <= 0) {
                    return false;
                }
                readers.dropRevoked();
                delivery.serveRelease();
                intake.waitInRebalance(Math.min(left, LOOK_NANOS));
                waiting.clearCallbackSignal();
            }
        }
        return true;
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> ids) {
        if (!isClosed() && !ids.isEmpty()) {
            observer.rebalanced();
            arrivals.withdraws(ids);
            LOG.warn("lost {} without notice; their unfinished work is dropped and will be repeated elsewhere", ids);
            waiting.inCallback(() -> {
                List<AssignedPartition> lost = assignment.withdraw(ids);
                emission.takeBack(lost);
                assignment.dropped().add(lost, Reason.LOST);
                readers.dropRevoked();
                delivery.lost();
                hooks.lost(Set.copyOf(ids));
            });
        }
    }
}
