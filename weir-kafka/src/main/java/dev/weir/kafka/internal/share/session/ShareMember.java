package dev.weir.kafka.internal.share.session;

import dev.weir.kafka.ConsumerSettings.UnreadableBatches;
import java.net.InetSocketAddress;
import java.util.List;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.FindCoordinatorResponseData;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * A member of a share group: joins it, finds out who leads the partitions that it gets, and has {@link ShareSessions}
 * with them. It has neither thread nor socket: {@link #turn} does what is due. Confined to one thread, but for {@link
 * #ended}, {@link #isJoined}, {@link #span}, {@link #lockMillis} and {@link #batchRecords}.
 */
public final class ShareMember implements AutoCloseable {

    private static final short HEARTBEAT_VERSION = 1;

    /**
     * The identity of the member.
     *
     * @param member its id; brokers read it as one of Kafka's own form
     */
    public record Identity(String member, String group, List<String> topics, List<InetSocketAddress> bootstrap) {}

    /**
     * The rules for reading batches.
     *
     * @param checksCrc whether checksums are compared
     * @param maxBytes largest decompressed size of a batch
     * @param unreadable answer to a batch that is larger or damaged
     */
    public record Reading(boolean checksCrc, int maxBytes, UnreadableBatches unreadable) {}

    private final SessionNetwork network;
    private final ShareMembership membership;
    private final ClusterDirectory directory;
    private final ShareSessions sessions;
    private final SessionNetwork.Channel asker;
    private SessionNetwork.@Nullable Channel coordinator;
    private @Nullable InetSocketAddress coordinatorAddress;

    /** True if partitions, or their leaders, may be others than the sessions know. */
    private boolean moved;

    private long nowNanos;

    private volatile boolean joined;

    public ShareMember(Identity identity, Reading reading, SessionNetwork network, AcquiredRecordReceiver receiver) {
        this.network = network;
        this.membership = new ShareMembership(identity.member(), identity.group(), identity.topics(), receiver);
        this.directory = new ClusterDirectory(identity.group(), identity.topics(), identity.bootstrap(), receiver);
        this.sessions = new ShareSessions(
                new ShareRequests(identity.group(), membership.id()),
                directory,
                network,
                receiver,
                reading,
                () -> moved = true);
        this.asker = network.open("bootstrap", directory::nextToAsk, new OfDirectory());
    }

    /** Sets the number of workers; of the records beyond it, a part can wait to be replaced. */
    public void workers(int most) {
        sessions.workers(most);
    }

    /**
     * Sets the limits from the next turn on.
     *
     * @param credits records that may be outstanding at once
     * @param wholeBatches whether brokers hand out whole batches
     * @param locks offsets of a partition that may be acquired at once
     */
    public void plan(int credits, boolean wholeBatches, int locks) {
        sessions.plan(credits, wholeBatches, locks);
    }

    /** The work on a record ended. Any thread; true if the next turn should come now. */
    public boolean ended(LockedRecord locked) {
        return sessions.ended(locked);
    }

    /** Returns whether the group knows it and has given it partitions. Any thread. */
    public boolean isJoined() {
        return joined;
    }

    /** Offsets of the partition that stretches widest from its first unfinished record on. Any thread. */
    public long span() {
        return sessions.span();
    }

    /** For which a record is acquired; 0 as long as nothing was. Any thread. */
    public int lockMillis() {
        return sessions.lockMillis();
    }

    /** Mean size of a producer's batch, in records; 0 as long as none was seen. Any thread. */
    public double batchRecords() {
        return sessions.batchRecords();
    }

    /** Records that are acquired and not done. */
    public int open() {
        return sessions.open();
    }

    /** It is now this time: for the answers that come before the next turn. */
    public void at(long now) {
        nowNanos = now;
        sessions.at(now);
    }

    /**
     * Does what is due.
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
        if (directory.isToBeLeft(nowNanos)) {
            directory.left(nowNanos);
            asker.renew();
        }
        if (directory.isDue(nowNanos) && asker.canSend()) {
            ApiMessage question = directory.next(nowNanos);
            boolean finds = question instanceof FindCoordinatorRequestData;
            asker.send(question, finds ? ClusterDirectory.COORDINATOR_VERSION : ClusterDirectory.METADATA_VERSION);
        }
    }

    private void beat() {
        InetSocketAddress address = directory.coordinator();
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

    /** Acquired records on which the work has not ended. */
    public List<LockedRecord> openRecords() {
        return sessions.openRecords();
    }

    /** Ends the work on all that is acquired, which nobody will finish; returns how many there were. */
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

    /** Says goodbye to the group. */
    public void leave() {
        membership.leave();
    }

    public boolean hasLeft() {
        return membership.isGone() || coordinator == null;
    }

    /** Loses all that is still acquired, and closes all connections. */
    @Override
    public void close() {
        sessions.close();
        if (coordinator != null) {
            coordinator.drop();
        }
        asker.drop();
    }

    private final class OfMembership implements SessionNetwork.Receiver {

        @Override
        public void answered(ApiMessage answer) {
            if (membership.answered((ShareGroupHeartbeatResponseData) answer, nowNanos)) {
                directory.doubtCoordinator();
            }
            moved = true;
        }

        @Override
        public void lost(String why) {
            membership.lost(why, nowNanos);
            directory.doubtCoordinator();
        }
    }

    private final class OfDirectory implements SessionNetwork.Receiver {

        @Override
        public void answered(ApiMessage answer) {
            switch (answer) {
                case FindCoordinatorResponseData found -> directory.answered(found);
                case MetadataResponseData told -> directory.answered(told);
                default -> throw new IllegalStateException("an answer that nobody asked for: " + answer);
            }
            moved = true;
        }

        @Override
        public void lost(String why) {
            directory.lost();
        }
    }
}
