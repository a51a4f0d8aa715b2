package dev.weir.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * The coordinator of a share group, which assigns all partitions of the topics to each member. It follows
 * {@code GroupMetadataManager.shareGroupHeartbeat} of Kafka 4.4. A new member gets no partitions until the assignment
 * has been computed, and a member may still send its previous epoch. Responses contain partitions if the member joins,
 * sends its topics, or gets a changed assignment. Confined to the simulation's thread.
 */
final class ShareMembers {

    /** Time that a group takes to compute its assignment. */
    private static final long DIVIDES_NANOS = 1_000_000_000;

    private static final class Member {
        private final long dividedNanos;
        private int epoch = 1;
        private int previousEpoch;
        private Map<Uuid, List<Integer>> partitions = Map.of();

        Member(long dividedNanos) {
            this.dividedNanos = dividedNanos;
        }
    }

    private final Topics topics;
    private final Map<String, Member> members = new HashMap<>();

    ShareMembers(Topics topics) {
        this.topics = topics;
    }

    boolean isEmpty() {
        return members.isEmpty();
    }

    void forget(String member) {
        members.remove(member);
    }

    /**
     * Processes a heartbeat.
     *
     * @param onChange called if the response contains a changed assignment
     */
    ShareGroupHeartbeatResponseData beat(ShareGroupHeartbeatRequestData beat, long nowNanos, Runnable onChange) {
        ShareGroupHeartbeatResponseData answer = new ShareGroupHeartbeatResponseData().setHeartbeatIntervalMs(500);
        int epoch = beat.memberEpoch();
        Member member = members.get(beat.memberId());
        if (epoch < 0) {
            members.remove(beat.memberId());
            return answer.setMemberEpoch(-1);
        }
        if (member == null && epoch != 0) {
            return answer.setErrorCode(Errors.UNKNOWN_MEMBER_ID.code());
        }
        if (member != null && epoch != 0 && epoch != member.epoch && epoch != member.previousEpoch) {
            return answer.setErrorCode(Errors.FENCED_MEMBER_EPOCH.code());
        }
        if (member == null) {
            member = new Member(nowNanos + DIVIDES_NANOS);
            members.put(beat.memberId(), member);
        }
        Map<Uuid, List<Integer>> all = all();
        boolean changes = !member.partitions.equals(all) && nowNanos >= member.dividedNanos;
        if (changes) {
            member.previousEpoch = member.epoch++;
            member.partitions = all;
            onChange.run();
        }
        if (epoch == 0 || beat.subscribedTopicNames() != null || changes) {
            answer.setAssignment(assignment(member.partitions));
        }
        return answer.setMemberEpoch(member.epoch);
    }

    private Map<Uuid, List<Integer>> all() {
        Map<Uuid, List<Integer>> all = new HashMap<>();
        topics.all()
                .forEach(topic -> all.put(
                        topic.id(),
                        IntStream.range(0, topic.partitions().size()).boxed().toList()));
        return all;
    }

    private static ShareGroupHeartbeatResponseData.Assignment assignment(Map<Uuid, List<Integer>> partitions) {
        return new ShareGroupHeartbeatResponseData.Assignment()
                .setTopicPartitions(partitions.entrySet().stream()
                        .map(each -> new ShareGroupHeartbeatResponseData.TopicPartitions()
                                .setTopicId(each.getKey())
                                .setPartitions(each.getValue()))
                        .toList());
    }
}
