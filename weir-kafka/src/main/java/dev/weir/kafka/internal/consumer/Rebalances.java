package dev.weir.kafka.internal.consumer;

import dev.weir.kafka.internal.buffer.AssignedPartition;
import dev.weir.kafka.internal.buffer.Assignment;
import dev.weir.kafka.internal.buffer.Emission;
import dev.weir.kafka.internal.fetch.Waiting;
import dev.weir.kafka.internal.lookup.ConsumerLog;
import dev.weir.kafka.internal.lookup.OwnerClock;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;

/**
 * What happens when the group moves partitions. Called by the client inside poll, so on the owner thread.
 *
 * <p>Revoked: nothing more is emitted and no work begun, what is being worked on is waited for within the deadline while
 * other partitions flow on from the buffer, then what is finished is committed. Lost: another member may own them already, so nothing is waited
 * for and nothing is committed; late acknowledgements reach a tracker that nobody reads.
 */
final class Rebalances implements ConsumerRebalanceListener {

    private static final ConsumerLog LOG = ConsumerLog.of(Rebalances.class);

    /** How often the pipeline is asked to drop what was revoked: what was on its way between two stages is found later. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final ConsumerLoop loop;
    private final Assignment assignment;
    private final Emission emission;
    private final Hooks hooks;
    private final Waiting waiting;
    private final OwnerClock clock;
    private final RevokeTimes times;

    private int count;
    private boolean closing;

    Rebalances(
            ConsumerLoop loop,
            Assignment assignment,
            Emission emission,
            Hooks hooks,
            Waiting waiting,
            OwnerClock clock,
            RevokeTimes times) {
        this.loop = loop;
        this.assignment = assignment;
        this.emission = emission;
        this.hooks = hooks;
        this.waiting = waiting;
        this.clock = clock;
        this.times = times;
    }

    /** Times that partitions went away. */
    int count() {
        return count;
    }

    /** From now on partitions go because the consumer closes, which has seen to everything itself. */
    void closing() {
        closing = true;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> ids) {
        if (!closing) {
            waiting.inCallback(() -> loop.assigned(ids));
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> ids) {
        if (!closing && !ids.isEmpty()) {
            count++;
            waiting.inCallback(() -> {
                long begin = clock.nanoTime();
                release(assignment.withdraw(ids), times.workEnd(begin));
                hooks.revoked(Set.copyOf(ids), times.hooksEnd(begin, clock.nanoTime()));
            });
        }
    }

    private void release(List<AssignedPartition> revoked, long deadlineNanos) {
        if (!awaitFinished(revoked, deadlineNanos)) {
            LOG.warn(
                    "gave up {} with work unfinished after {} ms; whoever takes them over repeats it",
                    revoked,
                    times.deadlineNanos() / 1_000_000);
        }
        emission.takeBack(revoked);
        try {
            loop.commitNow(revoked, times.commitNanos());
        } catch (KafkaException failure) {
            LOG.warn("last commit of {} failed: {}", revoked, failure.toString());
        }
    }

    /**
     * Waits until nothing of the partitions is being worked on, so all of it finished or dropped; false if that was not so
     * in time. A close does not wait longer here than anywhere: a failed pipeline will finish nothing more.
     */
    private boolean awaitFinished(Collection<AssignedPartition> partitions, long deadlineNanos) {
        for (AssignedPartition partition : partitions) {
            while (partition.isHeld()) {
                long left = loop.withinPatience(deadlineNanos - clock.nanoTime());
                if (left <= 0) {
                    return false;
                }
                loop.dropRevoked();
                waiting.park(Math.min(left, LOOK_NANOS));
            }
        }
        return true;
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> ids) {
        if (!closing && !ids.isEmpty()) {
            count++;
            LOG.warn("lost {} without notice; their unfinished work is dropped and will be repeated elsewhere", ids);
            waiting.inCallback(() -> {
                emission.takeBack(assignment.withdraw(ids));
                loop.dropRevoked();
                hooks.lost(Set.copyOf(ids));
            });
        }
    }
}
