package dev.weir.kafka.internal.in.owner;

import static org.assertj.core.api.Assertions.assertThatCode;

import org.junit.jupiter.api.Test;

class RunLogTest {

    // Regression: a failure was never reported if its message could not be read.
    @Test
    @SuppressWarnings("serial")
    void failure_whoseMessageCannotBeRead_isLogged() {
        RuntimeException unreadable = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new IllegalStateException("unreadable");
            }
        };
        assertThatCode(() -> new RunLog().fails(unreadable)).doesNotThrowAnyException();
    }
}
