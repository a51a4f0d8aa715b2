package dev.weir.bench.measurement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountsTest {

    @Test
    void counts_withOneThatWasNotTaken_areNotKnown() {
        assertThat(Counts.plus(2, 3)).isEqualTo(5);
        assertThat(Counts.minus(5, 3)).isEqualTo(2);
        assertThat(Counts.plus(2, -1)).isEqualTo(-1);
        assertThat(Counts.minus(-1, 3)).isEqualTo(-1);
        assertThat(Counts.minus(3, -1)).isEqualTo(-1);
    }
}
