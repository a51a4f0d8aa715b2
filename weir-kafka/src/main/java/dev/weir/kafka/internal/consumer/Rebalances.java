package dev.weir.kafka.internal.consumer;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when the group moves partitions. Called by the client inside poll, so on the owner thread.
 *
 * <p>Revoked: nothing more is emitted, what was pulled is waited for within the deadline while other partitions flow on
 * from the buffer, then what is finished is committed. Lost: another member may own them already, so nothing is waited
 * for and nothing is committed; late acknowledgements reach a tracker that nobody reads.
 */
final class Rebalances implements ConsumerRebalanceListener {

    private static final Logger LOG = LoggerFactory.getLogger(Rebalances.class);

    private final ConsumerLoop loop;
    private final long revokeDeadlineNanos;

    private int count;
    private boolean closing;

    Rebalances(ConsumerLoop loop, Duration revokeDeadline) {
        this.loop = loop;
        this.revokeDeadlineNanos = revokeDeadline.toNanos();
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
        loop.assigned(ids);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> ids) {
        if (closing || ids.isEmpty()) {
            return;
        }
        count++;
        List<AssignedPartition> revoked = loop.withdraw(ids);
        if (!loop.awaitFinished(revoked, System.nanoTime() + revokeDeadlineNanos)) {
            LOG.warn(
                    "gave up {} with work unfinished after {} ms; whoever takes them over repeats it",
                    revoked,
                    revokeDeadlineNanos / 1_000_000);
        }
        loop.commitNow(revoked);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> ids) {
        if (closing || ids.isEmpty()) {
            return;
        }
        count++;
        LOG.warn("lost {} without notice; their unfinished work is dropped and will be repeated elsewhere", ids);
        loop.withdraw(ids);
    }
}
