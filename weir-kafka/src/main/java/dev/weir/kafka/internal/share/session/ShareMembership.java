package dev.weir.kafka.internal.share.session;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A member's place in its share group: heartbeats to the coordinator, and the partitions that it assigns. Confined to
 * the member's thread.
 *
 * <pre>
 *   JOINING   epoch 0, with the topics                        -> STABLE
 *   STABLE    heartbeats, with the topics after one that has
 *             no answer; forgotten by the group               -> JOINING, with the same id
 *   LEAVING   epoch -1, once, after the heartbeat that may
 *             be under way                                    -> GONE, also without an answer
 * </pre>
 */
final class ShareMembership {

    private static final Logger LOG = LoggerFactory.getLogger(ShareMembership.class);
    private static final long RETRY_NANOS = 200_000_000;
    private static final long EARLY_NANOS = 300_000_000;
    private static final int EARLY_BEATS = 20;

    private enum State {
        JOINING,
        STABLE,
        LEAVING,
        GONE
    }

    private final String group;
    private final List<String> topics;
    private final AcquiredRecordReceiver receiver;

    private final String id;

    private State state = State.JOINING;
    private int epoch;
    private boolean underWay;

    /** True if the request under way, or the last one, is the goodbye. */
    private boolean saysGoodbye;

    private boolean waiting;

    /**
     * The coordinator sends the partitions once: to a member that joins or names its topics, or whose partitions change
     * in that heartbeat. A missing answer may have been that one, so the next heartbeat asks for all.
     */
    private boolean asksForAll;

    /** Heartbeats that came early because it had no partitions. */
    private int early;

    private long dueNanos;
    private Map<Uuid, Set<Integer>> assigned = Map.of();

    ShareMembership(String id, String group, List<String> topics, AcquiredRecordReceiver receiver) {
        this.id = id;
        this.group = group;
        this.topics = topics;
        this.receiver = receiver;
    }

    String id() {
        return id;
    }

    /** Partitions by the ids of their topics. */
    Map<Uuid, Set<Integer>> assigned() {
        return assigned;
    }

    /** Returns whether the group knows it and has given it partitions. */
    boolean isJoined() {
        return state == State.STABLE && !assigned.isEmpty();
    }

    boolean isGone() {
        return state == State.GONE;
    }

    /** Says goodbye, if the group knows it. */
    void leave() {
        if (state == State.JOINING && !underWay) {
            state = State.GONE;
        } else if (state != State.GONE) {
            state = State.LEAVING;
            waiting = false;
        }
    }

    boolean isDue(long nowNanos) {
        return state != State.GONE && !underWay && (!waiting || nowNanos - dueNanos >= 0);
    }

    /** Returns the request that is due, and counts it as sent. */
    ShareGroupHeartbeatRequestData next() {
        underWay = true;
        saysGoodbye = state == State.LEAVING;
        ShareGroupHeartbeatRequestData request =
                new ShareGroupHeartbeatRequestData().setGroupId(group).setMemberId(id);
        return switch (state) {
            case JOINING -> request.setMemberEpoch(0).setSubscribedTopicNames(topics);
            case STABLE ->
                asksForAll
                        ? request.setMemberEpoch(epoch).setSubscribedTopicNames(topics)
                        : request.setMemberEpoch(epoch);
            case LEAVING, GONE -> request.setMemberEpoch(-1);
        };
    }

    /** Takes in an answer; true if the coordinator is another broker now. */
    boolean answered(ShareGroupHeartbeatResponseData answer, long nowNanos) {
        underWay = false;
        if (state == State.LEAVING) {
            return leavingAnswered(Errors.forCode(answer.errorCode()), nowNanos);
        }
        Errors error = Errors.forCode(answer.errorCode());
        switch (error) {
            case NONE -> stable(answer, nowNanos);
            case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> {
                again(nowNanos);
                return true;
            }
            case COORDINATOR_LOAD_IN_PROGRESS -> again(nowNanos);
            case UNKNOWN_MEMBER_ID, FENCED_MEMBER_EPOCH -> {
                LOG.warn("share group {} does not know this member any more ({}); it joins again", group, error);
                state = State.JOINING;
                again(nowNanos);
            }
            default -> {
                state = State.GONE;
                receiver.fatal(error.exception(answer.errorMessage()));
            }
        }
        return false;
    }

    /** An answer to a heartbeat that was under way when the goodbye was decided on is none to the goodbye. */
    private boolean leavingAnswered(Errors error, long nowNanos) {
        if (saysGoodbye) {
            state = State.GONE;
            return false;
        }
        return switch (error) {
            case NONE -> false;
            case NOT_COORDINATOR, COORDINATOR_NOT_AVAILABLE -> {
                again(nowNanos);
                yield true;
            }
            case COORDINATOR_LOAD_IN_PROGRESS -> {
                again(nowNanos);
                yield false;
            }
            default -> {
                state = State.GONE; // The group does not know it, or does not hear it.
                yield false;
            }
        };
    }

    private void stable(ShareGroupHeartbeatResponseData answer, long nowNanos) {
        state = State.STABLE;
        epoch = answer.memberEpoch();
        waiting = true;
        asksForAll = false;
        long interval = answer.heartbeatIntervalMs() * 1_000_000L;
        if (answer.assignment() != null) {
            Map<Uuid, Set<Integer>> now = new HashMap<>();
            answer.assignment()
                    .topicPartitions()
                    .forEach(topic -> now.put(topic.topicId(), new TreeSet<>(topic.partitions())));
            assigned = now;
            LOG.debug("share group {}: assigned {}", group, now);
        }
        // Groups divide their partitions once a second at most, and tell with the next heartbeat.
        boolean asksSoon = assigned.isEmpty() && early++ < EARLY_BEATS;
        dueNanos = nowNanos + (asksSoon ? Math.min(interval, EARLY_NANOS) : interval);
    }

    private void again(long nowNanos) {
        waiting = true;
        asksForAll = true;
        dueNanos = nowNanos + RETRY_NANOS;
    }

    /** The connection to the coordinator is gone. */
    void lost(@Nullable String why, long nowNanos) {
        if (state == State.LEAVING && underWay && saysGoodbye) {
            LOG.warn("share group {}: no answer to the goodbye ({}); the group notices by itself", group, why);
            state = State.GONE;
        }
        underWay = false;
        again(nowNanos);
    }
}
