package dev.weir.kafka.internal.out.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lean.LeanException;
import dev.weir.lean.SendException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProduceFaultsTest {

    private static Exception ofClient(@Nullable Throwable cause) {
        return ProduceFaults.asOfClient(new SendException("t", 3, false, "what it is", cause));
    }

    @Test
    void refusals_areOfTheClientsKind_withThePartition() {
        assertThat(ofClient(new RecordTooLargeException("x")))
                .isExactlyInstanceOf(RecordTooLargeException.class)
                .hasMessage("t-3: what it is");
        assertThat(ofClient(new TopicAuthorizationException("x")))
                .isExactlyInstanceOf(TopicAuthorizationException.class);
        assertThat(ofClient(new TimeoutException("x"))).isExactlyInstanceOf(TimeoutException.class);
    }

    /** A closed client fails all its batches with the same exception. */
    @Test
    void givenUpByAClose_isAPlainKafkaException() {
        assertThat(ofClient(null)).isExactlyInstanceOf(KafkaException.class);
    }

    @Test
    void faultOfTheProducerItself_isOfNoRecordAndOfNoNeighbour() {
        assertThat(ofClient(new LeanException("the listener threw", new IllegalStateException())))
                .isExactlyInstanceOf(ApiException.class);
    }

    @Test
    void waitInVain_keepsWhatTheBrokersSaid() {
        LeanException vain = new LeanException(
                "no topic", new TimeoutException("no topic", new UnknownTopicOrPartitionException("x")));
        assertThat(ProduceFaults.asOfClient(vain))
                .isExactlyInstanceOf(TimeoutException.class)
                .hasCauseInstanceOf(UnknownTopicOrPartitionException.class);
    }
}
