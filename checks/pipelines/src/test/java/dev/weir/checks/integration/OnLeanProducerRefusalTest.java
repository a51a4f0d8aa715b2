package dev.weir.checks.integration;

import dev.weir.kafka.ProduceException;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs the tests of {@link ProducerRefusalTest} with a lean producer, which identifies the one record that is too
 * large.
 */
@ExtendWith(OnLeanProducing.class)
class OnLeanProducerRefusalTest extends ProducerRefusalTest {

    @Override
    void assertSaysWhatIsTooLarge(AbstractThrowableAssert<?, ?> failure) {
        failure.isInstanceOf(ProduceException.class)
                .hasMessageContaining("large-out")
                .hasMessageContaining("large-0@800")
                .hasMessageContaining("MESSAGE_TOO_LARGE");
    }
}
