package dev.weir.lean.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.junit.jupiter.api.Test;

class FailureTextTest {

    @Test
    void exceptionWithAMessage_isItsMessage() {
        assertThat(FailureText.of(new IOException("Broken pipe"))).isEqualTo("Broken pipe");
    }

    @Test
    void exceptionWithoutAMessage_isItsType() {
        assertThat(FailureText.of(new ClosedChannelException())).isEqualTo("java.nio.channels.ClosedChannelException");
        assertThat(FailureText.of(new IOException(" "))).isEqualTo("java.io.IOException:  ");
    }
}
