package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PassesTest {

    @Test
    void areEnough_afterThreeShortOnes() {
        Passes passes = new Passes();
        passes.add(60_000, 82_500);
        passes.add(40_000, 82_500);
        assertThat(passes.areEnough()).isFalse();
        passes.add(41_000, 82_500);
        assertThat(passes.areEnough()).isTrue();
        assertThat(passes.median()).isEqualTo(41_000);
    }

    @Test
    void areEnough_afterTenSeconds() {
        Passes passes = new Passes();
        passes.add(10_000, 82_500);
        assertThat(passes.areEnough()).isFalse();
        passes.add(9_000, 82_500);
        assertThat(passes.areEnough()).isTrue();
        assertThat(passes.median()).isEqualTo(9_500);
    }
}
