package dev.weir.kafka.internal.share.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class AcknowledgementTallyTest {

    private final ShareCounters counters = new ShareCounters();
    private final AcknowledgementTally tally = new AcknowledgementTally("consumer", counters, refused -> {});

    /** The client acknowledges gaps by itself, even in a partition that delivered no record. */
    @Test
    void gapsOfAPartitionWithoutRecords_hideNoOtherAnswer() {
        AcquiredRecord record = new AcquiredRecord(ShareClientStub.record(0, 1), () -> 5, 0, settled -> {});
        assertThat(record.take(System.nanoTime())).isTrue();
        tally.sent(record, AcknowledgeType.ACCEPT);
        Map<TopicIdPartition, Set<Long>> answered = new LinkedHashMap<>();
        answered.put(new TopicIdPartition(Uuid.randomUuid(), 7, "gaps"), Set.of(3L));
        answered.put(new TopicIdPartition(Uuid.randomUuid(), record.partition(), record.topic()), Set.of(0L));

        tally.onComplete(answered, null);

        assertThat(counters.accepted.sum()).isEqualTo(1);
    }
}
