package dev.weir.stream.internal.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.stream.spi.Stage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ArgumentChecksTest {

    @Test
    void nanos_areBetweenZeroAndNever() {
        assertThat(ArgumentChecks.nanos(Duration.ofNanos(-1))).isZero();
        assertThat(ArgumentChecks.nanos(Duration.ZERO)).isZero();
        assertThat(ArgumentChecks.nanos(Duration.ofNanos(1))).isEqualTo(1);
        assertThat(ArgumentChecks.nanos(Duration.ofNanos(Stage.NEVER - 1))).isEqualTo(Stage.NEVER - 1);
        assertThat(ArgumentChecks.nanos(Duration.ofNanos(Stage.NEVER).plusNanos(1)))
                .isEqualTo(Stage.NEVER);
        assertThat(ArgumentChecks.nanos(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(Stage.NEVER);
    }

    @Test
    void positiveNanos_ofNothing_areRefused() {
        assertThat(ArgumentChecks.positiveNanos("pause", Duration.ofNanos(1))).isEqualTo(1);
        for (Duration refused : List.of(Duration.ZERO, Duration.ofNanos(-1))) {
            assertThatThrownBy(() -> ArgumentChecks.positiveNanos("pause", refused))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("pause must be more than 0: pause=" + refused);
        }
    }

    @Test
    void number_belowOne_isRefused() {
        assertThatCode(() -> ArgumentChecks.atLeastOne("size", 1)).doesNotThrowAnyException();
        assertThatThrownBy(() -> ArgumentChecks.atLeastOne("size", 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("size must be at least 1: size=0");
    }

    @Test
    void list_isACopyWithoutNulls() {
        Integer[] elements = {1, 2};
        List<Integer> copy = ArgumentChecks.list("inputs", elements);
        elements[0] = 9;
        assertThat(copy).containsExactly(1, 2);
        // The elements of a new array are null.
        assertThatThrownBy(() -> ArgumentChecks.list("inputs", new Integer[1]))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("inputs has a null");
    }
}
