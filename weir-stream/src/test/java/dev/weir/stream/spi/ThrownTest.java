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

    @Test
    void causes_endAtTheRoot_orWhereTheyRepeat_orAfterVeryMany() {
        Exception root = new Exception("root");
        Exception outer = new Exception("outer", root);
        assertThat(Thrown.causes(outer)).containsExactly(outer, root);
        root.initCause(outer);
        assertThat(Thrown.causes(outer)).containsExactly(outer, root);
        assertThat(Thrown.causes(new Endless())).hasSize(1_000);
    }

    private static final class Endless extends Exception {

        private static final long serialVersionUID = 1L;

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }
}
