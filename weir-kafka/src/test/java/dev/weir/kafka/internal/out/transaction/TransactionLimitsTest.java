package dev.weir.kafka.internal.out.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.kafka.ProducePath;
import dev.weir.kafka.ProducerSettings;
import dev.weir.kafka.deadletter.DeadLetterTopic;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class TransactionLimitsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private static ProducerSettings.Builder<byte[], byte[]> producer(String brokers) {
        return ProducerSettings.builder().bootstrapServers(brokers);
    }

    @Test
    void interval_isFromAMillisecondToTenMinutes() {
        assertThatCode(() -> TransactionLimits.checkInterval(Duration.ofMillis(1)))
                .doesNotThrowAnyException();
        assertThatCode(() -> TransactionLimits.checkInterval(Duration.ofMinutes(10)))
                .doesNotThrowAnyException();
        for (Duration interval : new Duration[] {
            Duration.ofMillis(1).minusNanos(1), Duration.ofMinutes(10).plusNanos(1)
        }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> TransactionLimits.check(producer("h:1").build(), interval, 1))
                    .withMessage("commitInterval must be PT0.001S to PT10M: commitInterval=" + interval);
        }
    }

    @Test
    void records_areOneAtLeast() {
        assertThatCode(() -> TransactionLimits.check(producer("h:1").build(), SECOND, 1))
                .doesNotThrowAnyException();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransactionLimits.check(producer("h:1").build(), SECOND, 0))
                .withMessage("commitRecords must be at least 1: commitRecords=0");
    }

    @Test
    void interval_isLessThanTheTimeoutOfTransactions() {
        assertThat(TransactionLimits.timeout(producer("h:1").build(), SECOND)).isEqualTo(Duration.ofSeconds(30));
        ProducerSettings<byte[], byte[]> brief =
                producer("h:1").property("transaction.timeout.ms", " 1000 ").build();
        assertThat(TransactionLimits.timeout(brief, SECOND.minusMillis(1))).isEqualTo(SECOND);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransactionLimits.check(brief, SECOND, 1))
                .withMessageContaining("commitInterval=PT1S must be less than transaction.timeout.ms=1000");
    }

    @Test
    void producerWithoutTransactions_isRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransactionLimits.timeout(
                        producer("h:1").produce(ProducePath.LEAN).build(), SECOND))
                .withMessageContaining("produce=LEAN");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransactionLimits.timeout(
                        producer("h:1").property("enable.idempotence", "FALSE").build(), SECOND))
                .withMessageContaining("enable.idempotence=false");
        assertThatCode(() -> TransactionLimits.timeout(
                        producer("h:1").property("enable.idempotence", "true").build(), SECOND))
                .doesNotThrowAnyException();
    }

    @Test
    void deadLetters_areOnTheClusterOfTheProducer() {
        ProducerSettings<byte[], byte[]> settings = producer("h:1").build();
        assertThatCode(() -> TransactionLimits.checkDeadLetterTopic(settings, null))
                .doesNotThrowAnyException();
        assertThatCode(() -> TransactionLimits.checkDeadLetterTopic(
                        settings, DeadLetterTopic.of("dead", producer("h:1").build())))
                .doesNotThrowAnyException();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TransactionLimits.checkDeadLetterTopic(
                        settings, DeadLetterTopic.of("dead", producer("other:1").build())))
                .withMessageContaining("bootstrap.servers=other:1 of the dead-letter topic must be h:1");
    }
}
