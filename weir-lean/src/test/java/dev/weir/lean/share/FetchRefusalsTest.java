package dev.weir.lean.share;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.TopicIdPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class FetchRefusalsTest {

    private final TopicIdPartition one = new TopicIdPartition(new Uuid(1, 2), 0, "topic");
    private final TopicIdPartition other = new TopicIdPartition(new Uuid(1, 2), 1, "topic");

    @Test
    void reason_isNewsOnce_untilRecordsAreLentOrItChanges() {
        FetchRefusals refusals = new FetchRefusals();
        assertThat(refusals.isNews(one, Errors.KAFKA_STORAGE_ERROR)).isTrue();
        assertThat(refusals.isNews(one, Errors.KAFKA_STORAGE_ERROR)).isFalse();
        assertThat(refusals.isNews(other, Errors.KAFKA_STORAGE_ERROR)).isTrue();
        assertThat(refusals.isNews(one, Errors.UNKNOWN_SERVER_ERROR)).isTrue();
        refusals.acquired(one);
        assertThat(refusals.isNews(one, Errors.UNKNOWN_SERVER_ERROR)).isTrue();
        assertThat(refusals.isNews(other, Errors.KAFKA_STORAGE_ERROR)).isFalse();
    }
}
