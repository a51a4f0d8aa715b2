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
 * Handles rebalances. The client calls it inside a poll and therefore on the owner thread.
 *
 * <p>When partitions are revoked, this class stops emitting their records, and stages start no more work on them. It
 * waits until the work in progress has finished or the deadline has passed. During this wait, other partitions continue
 * with buffered records or, if lean consumers fetch them, with newly fetched records. Then the finished records are
 * committed. When partitions are lost, another member may already own them. This class therefore neither waits nor
 * commits, and late acknowledgements have no effect.
 */
final class RebalanceHandler implements ConsumerRebalanceListener {

    private static final ConsumerLog LOG = ConsumerLog.of(RebalanceHandler.class);

    /**
     * Interval between requests to the pipeline to drop revoked records. A single request is not enough, because it
     * would miss records that are moving from one stage to the next.
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

    /** Returns whether the consumer has been closed. In that case, the rebalance callbacks have nothing left to do. */
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

    /**
     * Waits until all records of the partitions are finished or dropped. Returns false on a timeout. If a close has
     * been requested, the wait ends no later than the close deadline, because a failed pipeline never finishes its
     * records.
     */
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
