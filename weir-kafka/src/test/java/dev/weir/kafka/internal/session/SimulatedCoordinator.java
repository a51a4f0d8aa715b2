package dev.weir.kafka.internal.session;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareGroupHeartbeatRequestData;
import org.apache.kafka.common.message.ShareGroupHeartbeatResponseData;
import org.apache.kafka.common.protocol.Errors;

/**
 * A share group's coordinator, which gives all partitions to each member. As {@code
 * GroupMetadataManager.shareGroupHeartbeat} of Kafka 4.4: a new member gets nothing before the group is divided, the
 * epoch before the last one is taken as well, and partitions are told of to those who join, who say their topics, or
 * whose partitions have changed in this very heartbeat. Confined to the test's thread.
 */
final class SimulatedCoordinator {

    /** After which a group has divided its partitions among its members. */
    private static final long DIVIDES_NANOS = 1_000_000_000;

    private static final class Place {
        private final long dividedNanos;
        private int epoch = 1;
        private int previousEpoch;
        private List<Integer> partitions = List.of();

        Place(long dividedNanos) {
            this.dividedNanos = dividedNanos;
        }
    }

    private final List<Integer> all;
    private Uuid topic = SimulatedPartition.TOPIC;
    private final Map<String, Place> places = new HashMap<>();

    SimulatedCoordinator(int partitions) {
        this.all = IntStream.range(0, partitions).boxed().toList();
    }

    /** The topic is another one from now on, whose partitions each member gets with its next heartbeat. */
    void recreate(Uuid newTopic) {
        topic = newTopic;
        places.values().forEach(place -> place.partitions = List.of());
    }

    void forget(String member) {
        places.remove(member);
    }

    /** @param onChange called if the answer has partitions that are new to the member */
    ShareGroupHeartbeatResponseData beat(ShareGroupHeartbeatRequestData beat, long nowNanos, Runnable onChange) {
        ShareGroupHeartbeatResponseData answer = new ShareGroupHeartbeatResponseData().setHeartbeatIntervalMs(500);
        int epoch = beat.memberEpoch();
        Place place = places.get(beat.memberId());
        if (epoch < 0) {
            places.remove(beat.memberId());
            return answer.setMemberEpoch(-1);
        }
        if (place == null && epoch != 0) {
            return answer.setErrorCode(Errors.UNKNOWN_MEMBER_ID.code());
        }
        if (place != null && epoch != 0 && epoch != place.epoch && epoch != place.previousEpoch) {
            return answer.setErrorCode(Errors.FENCED_MEMBER_EPOCH.code());
        }
        if (place == null) {
            place = new Place(nowNanos + DIVIDES_NANOS);
            places.put(beat.memberId(), place);
        }
        boolean changes = place.partitions.isEmpty() && nowNanos >= place.dividedNanos;
        if (changes) {
            place.previousEpoch = place.epoch++;
            place.partitions = all;
            onChange.run();
        }
        if (epoch == 0 || beat.subscribedTopicNames() != null || changes) {
            answer.setAssignment(new ShareGroupHeartbeatResponseData.Assignment()
                    .setTopicPartitions(List.of(new ShareGroupHeartbeatResponseData.TopicPartitions()
                            .setTopicId(topic)
                            .setPartitions(place.partitions))));
        }
        return answer.setMemberEpoch(place.epoch);
    }
}
