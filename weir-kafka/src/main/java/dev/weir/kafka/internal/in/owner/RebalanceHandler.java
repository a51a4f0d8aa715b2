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
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * Handles the partitions that the group moves. Called by the client inside poll, so on the owner thread.
 *
 * <p>Revoked: nothing more is emitted and no work begun. What is being worked on is waited for within the deadline,
 * while other partitions go on: from the buffer or, where records do not come by the member's client, with what is
 * fetched meanwhile. Then what is finished is committed. Lost: another member may own them already, so nothing is
 * waited for and nothing is committed; late acknowledgements reach a tracker that nobody reads.
 */
final class RebalanceHandler implements ConsumerRebalanceListener {

    private static final ConsumerLog LOG = ConsumerLog.of(RebalanceHandler.class);

    /**
     * The interval at which the pipeline is asked to drop revoked records: what was in flight between two stages is
     * found later.
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

    RebalanceHandler(
            OwnerThread owner,
            PartitionArrivals arrivals,
            PartitionAssignment assignment,
            BatchEmission emission,
            PollIntake intake,
            DeliveryCommits delivery,
            RebalanceHooks hooks,
            ConsumerObserver observer,
            PipelineReaders readers,
            OwnerWaits waiting,
            OwnerClock clock,
            RevokeTimes times) {
        this.owner = owner;
        this.arrivals = arrivals;
        this.assignment = assignment;
        this.emission = emission;
        this.intake = intake;
        this.delivery = delivery;
        this.hooks = hooks;
        this.observer = observer;
        this.readers = readers;
        this.waiting = waiting;
        this.clock = clock;
        this.times = times;
    }

    /** Returns whether partitions go because the consumer closes, which has seen to everything itself. */
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
            LOG.warn("last commit of {} failed: {}", revoked, failure.toString());
        }
        assignment.dropped().add(revoked, Reason.REVOKED);
    }

    /**
     * Waits until nothing of the partitions is being worked on, so all of it finished or dropped; false if that was not
     * so in time. A close does not wait longer here than anywhere: a failed pipeline will finish nothing more.
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
