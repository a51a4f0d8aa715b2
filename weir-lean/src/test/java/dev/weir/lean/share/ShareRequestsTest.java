package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.share.PendingAcknowledgements.Packet;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ShareAcknowledgeRequestData;
import org.apache.kafka.common.message.ShareFetchRequestData;
import org.junit.jupiter.api.Test;

class ShareRequestsTest {

    private static final int PARTITION_BYTES = 64 * 1024;
    private static final int MOST_BYTES = 16 * 1024 * 1024;
    private static final Uuid TOPIC = new Uuid(1, 2);
    private static final Uuid OTHER = new Uuid(3, 4);
    private static final TopicIdPartition ZERO = new TopicIdPartition(TOPIC, 0, "topic");
    private static final TopicIdPartition ONE = new TopicIdPartition(TOPIC, 1, "topic");
    private static final TopicIdPartition ELSEWHERE = new TopicIdPartition(OTHER, 0, "other");

    private final ShareRequests requests = new ShareRequests("group", "member");

    private static Packet packet(byte type, long... firsts) {
        return new Packet(
                Arrays.stream(firsts)
                        .mapToObj(first -> new AcknowledgementRange(first, first + 1, type, 2))
                        .toList(),
                type == AcknowledgementRange.RENEW);
    }

    private ShareFetchRequestData fetch(int records, int partitions) {
        return requests.fetch(3, records, partitions, true, List.of(), List.of(), Map.of());
    }

    @Test
    void fetch_namesTheMemberItsSessionAndWhatItMayBring() {
        ShareFetchRequestData request = fetch(100, 1);
        assertThat(request.groupId()).isEqualTo("group");
        assertThat(request.memberId()).isEqualTo("member");
        assertThat(request.shareSessionEpoch()).isEqualTo(3);
        assertThat(request.maxRecords()).isEqualTo(100);
        assertThat(request.batchSize()).isEqualTo(100);
        assertThat(request.minBytes()).isEqualTo(1);
        assertThat(request.maxWaitMs()).as("nothing is acquired").isEqualTo(500);
        assertThat(request.topics()).isEmpty();
        assertThat(request.forgottenTopicsData()).isEmpty();
        assertThat(request.shareAcquireMode()).as("a limit of records").isEqualTo((byte) 1);
        requests.wholeBatches(true);
        assertThat(fetch(1, 1).shareAcquireMode()).isZero();
        assertThat(requests.fetch(4, 1, 1, false, List.of(), List.of(), Map.of())
                        .maxWaitMs())
                .as("acknowledgements wait for the answer")
                .isEqualTo(10);
    }

    @Test
    void bytesOfAFetch_followTheMeanSizeOfRecords_betweenTheirBounds() {
        assertThat(fetch(100, 1).maxBytes())
                .as("1024 bytes each, and half more")
                .isEqualTo(153_600);
        assertThat(fetch(1, 1).maxBytes()).isEqualTo(PARTITION_BYTES);
        assertThat(fetch(1, 3).maxBytes()).isEqualTo(3 * PARTITION_BYTES);
        assertThat(fetch(1, 1_000).maxBytes()).isEqualTo(MOST_BYTES);
        assertThat(fetch(Integer.MAX_VALUE, 1).maxBytes()).isEqualTo(MOST_BYTES);
        requests.saw(10, 10 * 11_024);
        assertThat(fetch(100, 1).maxBytes())
                .as("a tenth of the way from 1024 to 11024")
                .isEqualTo(303_600);
    }

    @Test
    void fetch_listsAddedPartitionsByTopic_andForgetsOthers() {
        ShareFetchRequestData request =
                requests.fetch(0, 1, 3, true, List.of(ZERO, ELSEWHERE, ONE), List.of(ONE, ELSEWHERE, ZERO), Map.of());
        assertThat(request.topics()).hasSize(2);
        assertThat(request.topics().find(TOPIC).partitions())
                .extracting(ShareFetchRequestData.FetchPartition::partitionIndex)
                .containsExactly(0, 1);
        assertThat(request.topics().find(OTHER).partitions()).hasSize(1);
        assertThat(request.forgottenTopicsData())
                .extracting(ShareFetchRequestData.ForgottenTopic::topicId)
                .containsExactly(TOPIC, OTHER);
        assertThat(request.forgottenTopicsData().getFirst().partitions()).containsExactly(1, 0);
        assertThat(request.forgottenTopicsData().getLast().partitions()).containsExactly(0);
    }

    @Test
    void fetch_takesAcknowledgementsAlong_ofAPartitionThatIsAddedAsWell() {
        Map<AcquiredRanges, Packet> packets = new LinkedHashMap<>();
        packets.put(new AcquiredRanges(ZERO), packet(AcknowledgementRange.RELEASE, 5, 9));
        packets.put(new AcquiredRanges(ELSEWHERE), packet(AcknowledgementRange.ACCEPT, 1));
        ShareFetchRequestData request = requests.fetch(1, 1, 1, false, List.of(ZERO), List.of(), packets);
        assertThat(request.topics().find(TOPIC).partitions()).hasSize(1);
        assertThat(request.topics().find(TOPIC).partitions().find(0).acknowledgementBatches())
                .containsExactly(
                        new ShareFetchRequestData.AcknowledgementBatch()
                                .setFirstOffset(5)
                                .setLastOffset(6)
                                .setAcknowledgeTypes(List.of(AcknowledgementRange.RELEASE)),
                        new ShareFetchRequestData.AcknowledgementBatch()
                                .setFirstOffset(9)
                                .setLastOffset(10)
                                .setAcknowledgeTypes(List.of(AcknowledgementRange.RELEASE)));
        assertThat(request.topics().find(OTHER).partitions().find(0).acknowledgementBatches())
                .hasSize(1);
    }

    @Test
    void acknowledgement_namesEachPartitionUnderItsTopic_andSaysWhetherItRenews() {
        Map<AcquiredRanges, Packet> packets = new LinkedHashMap<>();
        packets.put(new AcquiredRanges(ZERO), packet(AcknowledgementRange.ACCEPT, 5));
        packets.put(new AcquiredRanges(ONE), packet(AcknowledgementRange.REJECT, 7, 20));
        ShareAcknowledgeRequestData request = requests.acknowledge(8, packets);
        assertThat(request.groupId()).isEqualTo("group");
        assertThat(request.memberId()).isEqualTo("member");
        assertThat(request.shareSessionEpoch()).isEqualTo(8);
        assertThat(request.isRenewAck()).isFalse();
        assertThat(request.topics()).hasSize(1);
        assertThat(request.topics().find(TOPIC).partitions()).hasSize(2);
        assertThat(request.topics().find(TOPIC).partitions().find(1).acknowledgementBatches())
                .containsExactly(
                        new ShareAcknowledgeRequestData.AcknowledgementBatch()
                                .setFirstOffset(7)
                                .setLastOffset(8)
                                .setAcknowledgeTypes(List.of(AcknowledgementRange.REJECT)),
                        new ShareAcknowledgeRequestData.AcknowledgementBatch()
                                .setFirstOffset(20)
                                .setLastOffset(21)
                                .setAcknowledgeTypes(List.of(AcknowledgementRange.REJECT)));
        assertThat(requests.acknowledge(9, Map.of(new AcquiredRanges(ELSEWHERE), packet(AcknowledgementRange.RENEW, 0)))
                        .isRenewAck())
                .isTrue();
    }
}
