package dev.weir.stream.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.stream.spi.Batch;
import dev.weir.stream.spi.Stage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureHelpersTest {

    private final IllegalStateException failure = new IllegalStateException("planted");

    /** A stage whose close throws. */
    private record Throwing(RuntimeException thrown) implements Stage<Integer> {

        @Override
        public @Nullable Batch<Integer> pull(long deadlineNanos) {
            return null;
        }

        @Override
        public void close() {
            throw thrown;
        }
    }

    @Test
    void failureOfAClose_isSuppressedByTheFailureThatCausedIt() {
        IllegalArgumentException another = new IllegalArgumentException("in close");
        FailureHelpers.close(new Throwing(another), failure);
        assertThat(failure.getSuppressed()).containsExactly(another);
        // An exception cannot suppress itself.
        FailureHelpers.close(new Throwing(failure), failure);
        assertThat(failure.getSuppressed()).hasSize(1);
    }

    @Test
    void streams_goOnAfterFailuresOfFunctions_butNotAfterInterruptsOrErrorsOfTheMachine() {
        assertThat(FailureHelpers.isRecoverable(failure)).isTrue();
        assertThat(FailureHelpers.isRecoverable(new StackOverflowError("planted")))
                .isTrue();
        assertThat(FailureHelpers.isRecoverable(new AssertionError("planted"))).isTrue();
        assertThat(FailureHelpers.isRecoverable(new InterruptedException("planted")))
                .isFalse();
        assertThat(FailureHelpers.isRecoverable(new InternalError("planted"))).isFalse();
    }
}
