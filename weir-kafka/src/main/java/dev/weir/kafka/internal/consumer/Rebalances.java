package dev.weir.kafka.internal.consumer;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What happens when the group moves partitions. Called by the client inside poll, so on the owner thread.
 *
 * <p>Revoked: nothing more is emitted and no work begun, what is being worked on is waited for within the deadline while
 * other partitions flow on from the buffer, then what is finished is committed. Lost: another member may own them already, so nothing is waited
 * for and nothing is committed; late acknowledgements reach a tracker that nobody reads.
 */
final class Rebalances implements ConsumerRebalanceListener {

    private static final Logger LOG = LoggerFactory.getLogger(Rebalances.class);

    private final ConsumerLoop loop;
    private final Waiting waiting;
    private final long revokeDeadlineNanos;

    private int count;
    private boolean closing;

    Rebalances(ConsumerLoop loop, Waiting waiting, Duration revokeDeadline) {
        this.loop = loop;
        this.waiting = waiting;
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
        if (!closing) {
            waiting.inCallback(() -> loop.assigned(ids));
        }
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> ids) {
        if (!closing && !ids.isEmpty()) {
            count++;
            waiting.inCallback(() -> release(loop.withdraw(ids)));
        }
    }

    private void release(List<AssignedPartition> revoked) {
        if (!loop.awaitFinished(revoked, revokeDeadlineNanos)) {
            LOG.warn(
                    "gave up {} with work unfinished after {} ms; whoever takes them over repeats it",
                    revoked,
                    revokeDeadlineNanos / 1_000_000);
        }
        try {
            loop.commitNow(revoked);
        } catch (KafkaException failure) {
            LOG.warn("last commit of {} failed: {}", revoked, failure.toString());
        }
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> ids) {
        if (!closing && !ids.isEmpty()) {
            count++;
            LOG.warn("lost {} without notice; their unfinished work is dropped and will be repeated elsewhere", ids);
            waiting.inCallback(() -> loop.withdraw(ids));
        }
    }
}
