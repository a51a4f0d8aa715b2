package dev.weir.stream.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.BufferUnderflowException;
import org.junit.jupiter.api.Test;

/** Tests what messages say of an exception of user code. */
class ThrownTest {

    @Test
    void reason_isTheMessage_orTheClassOfAnExceptionWithoutOne() {
        assertThat(Thrown.reason(new IllegalStateException("no price"))).isEqualTo("no price");
        assertThat(Thrown.reason(new BufferUnderflowException())).isEqualTo("java.nio.BufferUnderflowException");
        assertThat(Thrown.reason(new IllegalStateException(" "))).startsWith("java.lang.IllegalStateException");
    }
}
