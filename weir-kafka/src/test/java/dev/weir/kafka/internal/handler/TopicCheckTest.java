package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

class TopicCheckTest {

    private static void check(Exception answer) {
        TopicCheck.check("dead letters", CompletableFuture.failedFuture(answer), System.nanoTime());
    }

    @Test
    void topic_thatIsMissing_failsTheStart() {
        assertThatThrownBy(() -> check(new UnknownTopicOrPartitionException()))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("there is no topic dead letters");
    }

    // Regression: the run started although its topic cannot exist, and tried forever to send the first failed record.
    @Test
    void topic_whoseNameIsInvalid_failsTheStart() {
        assertThatThrownBy(() -> check(new InvalidTopicException("it has a space")))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("no topic can have the name dead letters")
                .hasMessageContaining("it has a space");
    }

    @Test
    void topic_thatCannotBeChecked_isNoReasonToFail() {
        assertThatCode(() -> check(new BrokerNotAvailableException("not now"))).doesNotThrowAnyException();
    }
}
