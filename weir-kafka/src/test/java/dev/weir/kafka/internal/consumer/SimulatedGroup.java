package dev.weir.kafka.internal.consumer;

import java.util.Collection;
import java.util.List;
import java.util.Random;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** The group: which partitions the member has, and what others do with the rest. Confined to the world's thread. */
final class SimulatedGroup {

    private final SimulatedWorld world;
    private final Random random;
    private final boolean eager;

    @Nullable
    ConsumerRebalanceListener listener;

    /** True if the client is calling the consumer back. */
    boolean inCallback;

    boolean rebalancedInPoll;

    /** True if the commit of a revocation was refused. */
    boolean commitRefused;

    SimulatedGroup(SimulatedWorld world) {
        this.world = world;
        this.random = world.random;
        this.eager = random.nextBoolean();
    }

    List<TopicPartition> owned() {
        return world.logs.values().stream()
                .filter(log -> log.owned)
                .map(log -> log.id)
                .toList();
    }

    /** What nobody has here, other members read and commit. */
    void othersWork() {
        for (SimulatedLog log : world.logs.values()) {
            if (!log.owned && log.committed < log.end && random.nextBoolean()) {
                log.goOnElsewhere();
                int from = (int) Math.max(0, log.committed);
                int to = from + random.nextInt(log.end - from + 1);
                log.finished.set(from, to);
                log.seen.set(from, to);
                log.commit(to, "", world.troubles.epochOthersCommit(log, to), log.epoch, world.commitAhead > 0);
            }
        }
    }

    void rebalance() {
        ConsumerRebalanceListener told = listener;
        if (told == null) {
            return;
        }
        inCallback = true;
        rebalancedInPoll = true;
        List<TopicPartition> target = world.logs.keySet().stream()
                .filter(id -> random.nextInt(3) != 0)
                .toList();
        List<TopicPartition> owned = owned();
        if (random.nextInt(6) == 0) {
            told.onPartitionsLost(owned);
            // What was committed ahead of them is dropped, as somebody else may have them.
            owned.forEach(id -> world.log(id).forgiveUnseen());
            release(owned);
        } else {
            List<TopicPartition> revoked =
                    owned.stream().filter(id -> eager || !target.contains(id)).toList();
            if (!revoked.isEmpty()) {
                commitRefused = false;
                long startNanos = world.nanoTime();
                told.onPartitionsRevoked(revoked);
                if (!commitRefused && !world.refused && world.commitAhead == 0) {
                    revoked.forEach(id -> world.log(id).requireFinishedIsCommitted());
                }
                if (world.commitAhead > 0) {
                    boolean late = world.closeRequested || world.nanoTime() - startNanos >= world.revokeDeadlineNanos();
                    revoked.forEach(id -> world.log(id).requireSeen(late));
                    if (!commitRefused && !world.refused) {
                        revoked.forEach(id -> world.log(id).requirePlaceIsCommitted());
                    }
                }
                release(revoked);
            }
        }
        List<TopicPartition> added =
                target.stream().filter(id -> !world.log(id).owned).toList();
        world.troubles.othersBegin(target);
        added.forEach(id -> world.log(id).assign());
        told.onPartitionsAssigned(added);
        inCallback = false;
    }

    private void release(Collection<TopicPartition> ids) {
        ids.forEach(id -> world.log(id).release());
        world.client.refuseCommit();
    }
}
