package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class WarmUpTest {

    @Test
    void isOver_twoPassesAfterTheRateRoseLast() {
        assertThat(passes(1, 1000, 2000, 2020, 1900, 9000)).isEqualTo(4);
    }

    @Test
    void isOver_onePassWithBadLuck_isNotEnough() {
        assertThat(passes(1, 1000, 900, 2000, 2000, 2000, 2000)).isEqualTo(5);
    }

    @Test
    void isOver_afterTwelveSeconds_howeverTheRateRises() {
        assertThat(passes(7, 1000, 2000, 4000, 8000)).isEqualTo(2);
        assertThat(passes(12, 1000, 2000)).isEqualTo(1);
    }

    @Test
    void isOver_afterEightPasses_howeverTheRateRises() {
        assertThat(passes(1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512)).isEqualTo(8);
    }

    private static int passes(int seconds, double... rates) {
        WarmUp warmUp = new WarmUp();
        var left = DoubleStream.of(rates).iterator();
        int passes = 0;
        while (!warmUp.isOver()) {
            warmUp.add(left.nextDouble(), TimeUnit.SECONDS.toNanos(seconds));
            passes++;
        }
        return passes;
    }
}
