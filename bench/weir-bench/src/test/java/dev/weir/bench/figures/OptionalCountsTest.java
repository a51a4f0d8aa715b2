package dev.weir.bench.figures;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class OptionalCountsTest {

    @Test
    void counts_withOneThatWasNotTaken_areNotKnown() {
        assertThat(OptionalCounts.plus(2, 3)).isEqualTo(5);
        assertThat(OptionalCounts.minus(5, 3)).isEqualTo(2);
        assertThat(OptionalCounts.plus(2, -1)).isEqualTo(-1);
        assertThat(OptionalCounts.minus(-1, 3)).isEqualTo(-1);
        assertThat(OptionalCounts.minus(3, -1)).isEqualTo(-1);
    }
}
