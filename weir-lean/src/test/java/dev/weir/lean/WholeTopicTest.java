package dev.weir.lean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a consumer of a whole topic, with responses that real brokers rarely send. */
class WholeTopicTest {

    private final FakeLog log = new FakeLog();

    private FakeBroker broker() throws Exception {
        return new FakeBroker(SecurityProtocol.PLAINTEXT, Map.of(), log::serve);
    }

    private static LeanConsumer consumerOf(FakeBroker broker) throws IOException {
        return LeanConsumer.open(LeanSettings.builder()
                .bootstrapServers(broker.address())
                .metadataMaxAge(Duration.ofMillis(100))
                .build());
    }

    private static void pollUntilAskedAgain(LeanConsumer consumer) {
        long before = consumer.metrics().metadataRefreshes();
        FakeLog.pollUntil(consumer, record -> {}, () -> consumer.metrics().metadataRefreshes() >= before + 2);
    }

    @Test
    void refusedTopic_isNamed_andReadOnceItIsNoLonger() throws Exception {
        try (FakeBroker broker = broker();
                LeanConsumer consumer = consumerOf(broker)) {
            broker.topicError(Errors.TOPIC_AUTHORIZATION_FAILED);
            consumer.assign(FakeBroker.TOPIC, StartAt.beginning());
            assertThatExceptionOfType(LeanException.class)
                    .isThrownBy(() -> FakeLog.pollUntil(consumer, record -> {}, () -> false))
                    .withMessage("topic " + FakeBroker.TOPIC + ": " + Errors.TOPIC_AUTHORIZATION_FAILED.message());
            broker.topicError(Errors.NONE);
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 0) >= 0);
        }
    }

    @Test
    void topicThatIsMissing_isAskedForAgainWithoutWaitingForItsAge() throws Exception {
        try (FakeBroker broker = broker();
                LeanConsumer consumer = LeanConsumer.open(LeanSettings.builder()
                        .bootstrapServers(broker.address())
                        .metadataMaxAge(Duration.ofDays(1))
                        .build())) {
            broker.topicError(Errors.UNKNOWN_TOPIC_OR_PARTITION);
            consumer.assign(FakeBroker.TOPIC, StartAt.beginning());
            pollUntilAskedAgain(consumer);
            assertThat(consumer.index(FakeBroker.TOPIC, 0)).isEqualTo(-1);
            broker.topicError(Errors.NONE);
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 0) >= 0);
        }
    }

    @Test
    void partitionThatWasRemoved_staysAway_andOneAddedLaterComes() throws Exception {
        try (FakeBroker broker = broker();
                LeanConsumer consumer = consumerOf(broker)) {
            consumer.assign(FakeBroker.TOPIC, StartAt.beginning());
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 0) >= 0);
            consumer.unassign(consumer.index(FakeBroker.TOPIC, 0));
            broker.partitions(2);
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 1) >= 0);
            assertThat(consumer.index(FakeBroker.TOPIC, 0)).isEqualTo(-1);
        }
    }

    @Test
    void topicThatWasRemoved_isAskedForNoMore_andMayBeTakenAgain() throws Exception {
        try (FakeBroker broker = broker();
                LeanConsumer consumer = consumerOf(broker)) {
            consumer.assign(FakeBroker.TOPIC, StartAt.beginning());
            assertThatIllegalStateException()
                    .isThrownBy(() -> consumer.assign(FakeBroker.TOPIC, StartAt.beginning()))
                    .withMessageContaining(FakeBroker.TOPIC);
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 0) >= 0);
            consumer.unassign(FakeBroker.TOPIC);
            assertThat(consumer.index(FakeBroker.TOPIC, 0)).isEqualTo(-1);
            consumer.assign(FakeBroker.TOPIC, StartAt.beginning());
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 0) >= 0);
        }
    }

    /** Regression: the consumer added as many partitions as the largest number in the response. */
    @Timeout(60)
    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE - 1, 1_000_000, 3})
    void partitionNumber_thatNoSuchTopicHas_isIgnored_andReadOnceItIsThere(int absurd) throws Exception {
        try (FakeBroker broker = broker();
                LeanConsumer consumer = consumerOf(broker)) {
            broker.absurd(absurd);
            consumer.assign(FakeBroker.TOPIC, StartAt.beginning());
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 0) >= 0);
            pollUntilAskedAgain(consumer);
            assertThat(consumer.index(FakeBroker.TOPIC, 1)).isEqualTo(-1);
            assertThat(consumer.index(FakeBroker.TOPIC, 3)).isEqualTo(-1);
            broker.absurd();
            broker.partitions(4);
            FakeLog.pollUntil(consumer, record -> {}, () -> consumer.index(FakeBroker.TOPIC, 3) >= 0);
        }
    }

    @Test
    void offset_isRefusedAsTheStartOfATopic() throws Exception {
        try (FakeBroker broker = broker();
                LeanConsumer consumer = consumerOf(broker)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> consumer.assign("orders", StartAt.offset(5)))
                    .withMessageContainingAll("topic=orders", "offset=5", "assign(topic, partition, start)");
        }
    }
}
