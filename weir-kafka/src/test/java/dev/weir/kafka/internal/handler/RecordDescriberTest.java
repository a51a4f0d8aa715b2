package dev.weir.kafka.internal.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.stream.spi.AckTarget;
import dev.weir.stream.spi.FailedElement;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class RecordDescriberTest {

    private static final AckTarget SOURCE = new AckTarget() {
        @Override
        public void ack(long token) {}

        @Override
        public void retain(long token, int count) {}

        @Override
        public String placeOf(long token) {
            return "orders-0@" + token;
        }
    };

    private record Hostile(Throwable thrown) {

        @Override
        public String toString() {
            if (thrown instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) thrown;
        }
    }

    private static void note(Throwable failure, Object key) {
        FailedElement.note(failure, "map", SOURCE, 7, new ConsumerRecord<>("orders", 0, 7, key, "value"));
    }

    @Test
    void failure_ofARecordWhoseKeyOverflowsTheStack_isKept() {
        IllegalStateException failure = new IllegalStateException("planted");
        StackOverflowError tooDeep = new StackOverflowError();
        assertThatCode(() -> note(failure, new Hostile(tooDeep))).doesNotThrowAnyException();
        assertThat(failure.getSuppressed()).containsExactly(tooDeep);
    }

    @Test
    void failure_thatTheKeyThrowsAgain_isKept() {
        IllegalStateException failure = new IllegalStateException("planted");
        assertThatCode(() -> note(failure, new Hostile(failure))).doesNotThrowAnyException();
        assertThat(failure.getSuppressed()).isEmpty();
    }

    @Test
    void failure_ofARecord_namesItsKey() {
        IllegalStateException failure = new IllegalStateException("planted");
        note(failure, "k");
        assertThat(failure.getSuppressed())
                .singleElement()
                .satisfies(note -> assertThat(note).hasMessage("stage map failed at orders-0@7, key \"k\""));
    }
}
