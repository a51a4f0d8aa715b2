package dev.weir.kafka.internal.out.write;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.internal.BareContext;
import dev.weir.lean.SendException;
import dev.weir.stream.spi.AckTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EncodedLoopTest {

    private final List<Long> acknowledged = new ArrayList<>();

    private final AckTarget target = new AckTarget() {
        @Override
        public void ack(long token) {
            acknowledged.add(token);
        }

        @Override
        public void retain(long token, int more) {}
    };

    // Regression: after a failed record, the next run wrote that record after a later one of its partition.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void record_behindOneThatWasGivenUp_isNotAcknowledged(boolean isClosing) {
        EncodedLoop loop = new EncodedLoop(
                Map.of("bootstrap.servers", "localhost:1"), new BareContext(), new ProducerLoopTest.NoWatch());
        int givenUp = loop.elements.add(target, 0, 1);
        int behind = loop.elements.add(target, 1, 1);
        int elsewhere = loop.elements.add(target, 2, 1);
        if (isClosing) {
            assertThat(loop.close(Duration.ZERO)).isEqualTo("3 records sent without an answer");
        }

        loop.answers.failed(givenUp, new SendException("out", 0, true, "given up", null));
        loop.answers.acknowledged(behind, "out", 0, 1);
        loop.answers.acknowledged(elsewhere, "out", 1, 0);

        assertThat(acknowledged).containsExactly(2L);
        assertThat(loop.close(Duration.ZERO)).isEqualTo("2 records sent without an answer");
    }
}
