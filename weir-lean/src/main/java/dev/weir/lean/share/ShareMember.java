package dev.weir.lean.share;

import dev.weir.lean.internal.cluster.ClusterMetadata;
import dev.weir.lean.spi.MessageNetwork;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * A member of a share group. Joins the group, finds the leaders of its assigned partitions, and reads from them through
 * {@link ShareSessions}. Has no threads or sockets: the caller drives it with {@link #turn}. Confined to one thread,
 * except for {@link #ended}, {@link #isJoined}, {@link #span}, {@link #lockMillis} and {@link #batchRecords}.
 */
public final class ShareMember implements AutoCloseable {

    private static final short HEARTBEAT_VERSION = 1;

    /**
     * The identity of the member.
     *
     * @param member the member id, which brokers parse as a Kafka {@code Uuid}
     */
    public record Identity(String member, String group, List<String> topics, List<InetSocketAddress> bootstrap) {}

    /**
     * The rules for reading batches.
     *
     * @param checksCrc whether checksums are verified
     * @param maxBytes the maximum decompressed size of a batch
     */
    public record Reading(boolean checksCrc, int maxBytes) {}

    private final MessageNetwork network;
    private final ShareMembership membership;
    private final ShareCluster cluster;
    private final ShareSessions sessions;
    private final MessageNetwork.Channel asker;
    private MessageNetwork.@Nullable Channel coordinator;
    private @Nullable InetSocketAddress coordinatorAddress;

    /** True if the assignment or a leader may have changed since the sessions were updated. */
    private boolean moved;

    private long nowNanos;

    private volatile boolean joined;

    public ShareMember(Identity identity, Reading reading, MessageNetwork network, AcquiredRecordReceiver receiver) {
        this.network = network;
        this.membership = new ShareMembership(identity.member(), identity.group(), identity.topics(), receiver);
        this.cluster = new ShareCluster(
                identity.group(),
                identity.topics(),
                identity.bootstrap(),
                receiver,
                identity.member().hashCode());
        this.sessions = new ShareSessions(
                new ShareRequests(identity.group(), membership.id()),
                cluster,
                network,
                receiver,
                reading,
                () -> moved = true);
        this.asker = network.open("bootstrap", cluster::nextToAsk, new OfCluster());
    }

    /** Sets the number of workers. */
    public void workers(int most) {
        sessions.workers(most);
    }

    /**
     * Sets the limits for the next turns.
     *
     * @param credits the maximum number of outstanding records; those beyond one per worker should last for about 0.1 s
     * @param wholeBatches whether brokers return whole batches
     * @param locks the maximum number of acquired offsets in a partition
     */
    public void plan(int credits, boolean wholeBatches, int locks) {
        sessions.plan(credits, wholeBatches, locks);
    }

    /**
     * Reports that the processing of a record has ended. Returns true if the member should wake for its next turn. May
     * be called from any thread.
     */
    public boolean ended(LockedRecord locked) {
        return sessions.ended(locked);
    }

    /** Returns whether the group knows this member and has assigned partitions to it. May be called from any thread. */
    public boolean isJoined() {
        return joined;
    }

    /**
     * Largest number of offsets in a partition from its first unfinished record to its last acquired one. May be called
     * from any thread.
     */
    public long span() {
        return sessions.span();
    }

    /** Duration of an acquisition lock in milliseconds; 0 until it is known. May be called from any thread. */
    public int lockMillis() {
        return sessions.lockMillis();
    }

    /** Mean size of a producer batch, in records; 0 until the first batch is read. May be called from any thread. */
    public double batchRecords() {
        return sessions.batchRecords();
    }

    /** Returns the number of records that are acquired and not finished. */
    public int open() {
        return sessions.open();
    }

    /** Sets the current time, for responses that arrive between turns. */
    public void at(long now) {
        nowNanos = now;
        cluster.at(now);
        sessions.at(now);
    }

    /**
     * Does all work that is due.
     *
     * @return delay in nanoseconds until the next turn, unless an event comes first
     */
    public long turn(long now) {
        at(now);
        sessions.takeEnded();
        ask();
        beat();
        joined = membership.isJoined();
        if (moved) {
            moved = false;
            sessions.settle(membership.assigned());
        }
        return sessions.turn();
    }

    private void ask() {
        if (cluster.leave()) {
            asker.renew();
        }
        if (cluster.isDue() && asker.canSend()) {
            ApiMessage question = cluster.next();
            boolean finds = question instanceof FindCoordinatorRequestData;
            asker.send(question, finds ? ShareCluster.COORDINATOR_VERSION : ClusterMetadata.VERSION);
        }
    }

    private void beat() {
        InetSocketAddress address = cluster.coordinator();
        if (address == null) {
            return;
        }
        if (!address.equals(coordinatorAddress)) {
            if (coordinator != null) {
                coordinator.drop();
                membership.lost("it is another broker", nowNanos);
            }
            coordinatorAddress = address;
            coordinator = network.open("coordinator", () -> List.of(address), new OfMembership());
        }
        if (coordinator != null && membership.isDue(nowNanos) && coordinator.canSend()) {
            coordinator.send(membership.next(), HEARTBEAT_VERSION);
        }
    }

    /** Returns the acquired records whose processing has not ended. */
    public List<LockedRecord> openRecords() {
        return sessions.openRecords();
    }

    /** Releases all unfinished records, because nobody will finish them. Returns their number. */
    public int giveUp() {
        return sessions.giveUp();
    }

    /** Ends each session as soon as nothing is acquired and no acknowledgement is pending. */
    public void end() {
        sessions.end();
    }

    /** Returns whether all sessions have ended. */
    public boolean hasEnded() {
        return sessions.haveEnded();
    }

    /** Starts to leave the group. */
    public void leave() {
        membership.leave();
    }

    public boolean hasLeft() {
        return membership.isGone() || coordinator == null;
    }

    /** Reports all unfinished records as lost, and closes all connections. */
    @Override
    public void close() {
        sessions.close();
        if (coordinator != null) {
            coordinator.drop();
        }
        asker.drop();
    }

    private final class OfMembership implements MessageNetwork.Receiver {

        @Override
        public void answered(ApiMessage answer) {
            if (membership.answered((ShareGroupHeartbeatResponseData) answer, nowNanos)) {
                cluster.doubtCoordinator();
            } else {
                cluster.confirmCoordinator();
            }
            moved = true;
        }

        @Override
        public void lost(String why) {
            membership.lost(why, nowNanos);
            cluster.doubtCoordinator();
        }
    }

    private final class OfCluster implements MessageNetwork.Receiver {

        @Override
        public void answered(ApiMessage answer) {
            switch (answer) {
                case FindCoordinatorResponseData found -> cluster.answered(found);
                case MetadataResponseData told -> cluster.answered(told);
                default -> throw new IllegalStateException("an answer without a request: " + answer);
            }
            moved = true;
        }

        @Override
        public void lost(String why) {
            cluster.lost();
        }
    }
}
