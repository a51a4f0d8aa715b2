package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.KafkaPipelineException;
import dev.weir.kafka.ProduceException;
import java.time.Duration;
import java.util.stream.Stream;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.InvalidTxnTimeoutException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TransactionFaultsTest {

    private static Stream<KafkaException> ofARecord() {
        return Stream.of(
                new RecordTooLargeException("r"),
                new RecordBatchTooLargeException("r"),
                new InvalidTopicException("r"),
                new SerializationException("r"),
                new InvalidRecordException("r"),
                new InvalidTimestampException("r"),
                new UnknownTopicOrPartitionException("r"));
    }

    private static Stream<KafkaException> ofTheRun() {
        return Stream.of(
                new GroupAuthorizationException("g"),
                new SaslAuthenticationException("g"),
                new UnsupportedVersionException("g"),
                new InvalidTxnTimeoutException("g"),
                new FencedInstanceIdException("g"));
    }

    private static Stream<KafkaException> thatPass() {
        return Stream.of(
                new ProducerFencedException("p"),
                new InvalidProducerEpochException("p"),
                new TimeoutException("p"),
                new KafkaException("p"));
    }

    // Regression: the search never ended, and the run hung.
    @Test
    void failure_whoseCausesFormACycle_isJudgedLikeAnyOther() {
        Exception outer = new IllegalStateException("outer");
        outer.initCause(new IllegalStateException("inner", outer));
        assertThat(TransactionFaults.fatal(outer, "", "")).isNull();
        assertThat(TransactionFaults.isFenced(outer)).isFalse();
        assertThat(TransactionFaults.passes(outer)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("ofARecord")
    void refusalOfARecord_endsTheRun_andNamesItsTopic(KafkaException refusal) {
        assertThat(TransactionFaults.fatal(new KafkaException("outer", refusal), "out", ""))
                .isInstanceOfSatisfying(
                        ProduceException.class,
                        fatal -> assertThat(fatal.topic()).isEqualTo("out"))
                .hasCause(refusal);
    }

    @Test
    void refusedAuthorization_isOfTheTopic_ifARecordWasRefused() {
        TopicAuthorizationException refusal = new TopicAuthorizationException("no");
        assertThat(TransactionFaults.fatal(refusal, "out", "")).isInstanceOf(ProduceException.class);
        assertThat(TransactionFaults.fatal(refusal, "", ""))
                .isNotInstanceOf(ProduceException.class)
                .hasMessageStartingWith("transactions are refused: ");
    }

    @ParameterizedTest
    @MethodSource("ofTheRun")
    void refusalOfTheRun_endsIt(KafkaException refusal) {
        KafkaException outer = new KafkaException("outer", refusal);
        assertThat(TransactionFaults.fatal(outer, "", ""))
                .hasMessage("transactions are refused: g")
                .hasCause(outer);
        assertThat(TransactionFaults.ofClient(outer)).hasMessage("transactions are refused: g");
    }

    @ParameterizedTest
    @MethodSource("thatPass")
    void failureThatPasses_endsNothing_butAClientThatCannotGoOn(KafkaException failure) {
        assertThat(TransactionFaults.fatal(failure, "out", "")).isNull();
        assertThat(TransactionFaults.ofClient(failure))
                .hasMessage("transactions cannot continue: p")
                .hasCause(failure);
        assertThat(TransactionFaults.ofRun(failure)).hasMessage("transactions cannot continue: p");
    }

    @Test
    void failureOfThePipeline_staysWhatItIs() {
        KafkaPipelineException known = new KafkaPipelineException("stuck");
        assertThat(TransactionFaults.fatal(new KafkaException("outer", known), "out", ""))
                .isSameAs(known);
        assertThat(TransactionFaults.ofRun(new IllegalStateException("outer", known)))
                .isSameAs(known);
        IllegalStateException other = new IllegalStateException("no client's");
        assertThat(TransactionFaults.ofRun(other)).isSameAs(other);
    }

    @Test
    void idThatWasRefused_mayBeGivenOutSoon_ifAnotherRunHadItOrTheRefusalIsRetriable() {
        assertThat(TransactionFaults.passes(new KafkaException("outer", new TimeoutException("t"))))
                .isTrue();
        assertThat(TransactionFaults.passes(new KafkaException("outer", new ProducerFencedException("f"))))
                .isTrue();
        assertThat(TransactionFaults.passes(new InvalidProducerEpochException("f")))
                .isTrue();
        assertThat(TransactionFaults.passes(new GroupAuthorizationException("g")))
                .isFalse();
        assertThat(TransactionFaults.isFenced(new KafkaException("outer", new InvalidProducerEpochException("f"))))
                .isTrue();
        assertThat(TransactionFaults.isFenced(new TimeoutException("t"))).isFalse();
    }

    /** Both messages use the unit of the setting that they recommend raising. */
    @Test
    void transactionsThatCannotEnd_areToldWithTheirInputsAndTimes() {
        TransactionPlan plan =
                TransactionPlan.ofNewRun("orders", null, Duration.ofMillis(100), 1, 1, Duration.ofSeconds(30));
        assertThat(TransactionFaults.stuck("in-0@7", plan))
                .hasMessageContaining("14900 ms after it was due, records of in-0@7 are in it")
                .hasMessageEndingWith("raise transaction.timeout.ms=30000");
        assertThat(TransactionFaults.scattered("in-0@7", plan))
                .hasMessageContaining("14900 ms after it was due, in-0@7 are not finished")
                .hasMessageEndingWith("raise transaction.timeout.ms=30000");
    }
}
