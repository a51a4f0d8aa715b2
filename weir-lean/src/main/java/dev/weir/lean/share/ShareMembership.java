package dev.weir.lean.share;

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
 * The membership of one member in its share group. Creates the heartbeats to the coordinator, and keeps the assigned
 * partitions. Confined to the member's thread.
 *
 * <pre>
 *   JOINING   sends epoch 0 with the topics                   -> STABLE
 *   STABLE    sends heartbeats; after an unanswered one,
 *             the next heartbeat contains the topics.
 *             If the group has forgotten the member           -> JOINING, with the same id
 *   LEAVING   waits for a heartbeat in flight, and then
 *             sends epoch -1 once                             -> GONE, even without an answer
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

    /** True if the last request is the request to leave, answered or not. */
    private boolean saysGoodbye;

    private boolean waiting;

    /**
     * True if the next heartbeat must request the complete assignment, because a lost response may have contained it.
     */
    private boolean asksForAll;

    /** Number of early heartbeats, sent because the member had no partitions. */
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

    Map<Uuid, Set<Integer>> assigned() {
        return assigned;
    }

    /** Returns whether the group knows this member and has assigned partitions to it. */
    boolean isJoined() {
        return state == State.STABLE && !assigned.isEmpty();
    }

    boolean isGone() {
        return state == State.GONE;
    }

    /** Starts to leave the group, if the group knows this member. */
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

    /** Returns the request that is due, and marks it as sent. */
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

    /** Processes a response. Returns true if another broker may be the coordinator now. */
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

    /** Processes a response while the member is leaving. It may still belong to an earlier heartbeat. */
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
                state = State.GONE; // The group has refused the member, so a request to leave is unnecessary.
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
        // Send the first heartbeats of a member without partitions early: it learns its partitions from a heartbeat.
        boolean asksSoon = assigned.isEmpty() && early++ < EARLY_BEATS;
        dueNanos = nowNanos + (asksSoon ? Math.min(interval, EARLY_NANOS) : interval);
    }

    private void again(long nowNanos) {
        waiting = true;
        asksForAll = true;
        dueNanos = nowNanos + RETRY_NANOS;
    }

    void lost(@Nullable String why, long nowNanos) {
        if (state == State.LEAVING && underWay && saysGoodbye) {
            LOG.warn("share group {}: no answer to the request to leave ({}); the group notices by itself", group, why);
            state = State.GONE;
        }
        underWay = false;
        again(nowNanos);
    }
}
