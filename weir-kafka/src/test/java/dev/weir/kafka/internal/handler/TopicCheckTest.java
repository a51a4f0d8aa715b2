package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.kafka.KafkaPipelineException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
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

    @Test
    void topic_thatIsFound_orWithoutAnAnswerInTime_isNoReasonToFail() {
        assertThatCode(() -> TopicCheck.check("dead letters", CompletableFuture.completedFuture(1), System.nanoTime()))
                .doesNotThrowAnyException();
        assertThatCode(() -> TopicCheck.check("dead letters", new CompletableFuture<>(), System.nanoTime() - 1))
                .doesNotThrowAnyException();
    }

    @Test
    void check_thatIsInterrupted_failsTheStart_andLeavesTheInterrupt() {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> TopicCheck.check(
                        "dead letters", new CompletableFuture<>(), System.nanoTime() + TimeUnit.HOURS.toNanos(1)))
                .isInstanceOf(KafkaPipelineException.class)
                .hasMessageContaining("dead letters");
        assertThat(Thread.interrupted()).isTrue();
    }
}
