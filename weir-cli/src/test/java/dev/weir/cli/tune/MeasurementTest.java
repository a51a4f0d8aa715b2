package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Map;
import org.junit.jupiter.api.Test;

class MeasurementTest {

    @Test
    void gainOfCheaper_withFreeProcessors_isAmdahls() {
        Measurement measured = measured(1.2, 2.8);

        // Half of the time at a fifth of its cost: 0.5 + 0.1 are left.
        assertThat(measured.gainOfCheaper("decompress", 0.2)).isCloseTo(1 / 0.6, within(1e-9));
        assertThat(measured.gainOfCheaper("unknown", 0.2)).isEqualTo(1);
    }

    @Test
    void gainOfCheaper_withoutFreeProcessors_isWhatTheSavedTimeGives() {
        // 0.4 of 2 processors are saved, and others go on needing the rest.
        assertThat(measured(2, 0).gainOfCheaper("decompress", 0.2)).isCloseTo(2 / 1.6, within(1e-9));
    }

    @Test
    void gainOfCheaper_ofADearerStage_isBelowOne() {
        assertThat(measured(1.2, 2.8).gainOfCheaper("decompress", 1.5)).isCloseTo(1 / 1.25, within(1e-9));
    }

    /** Counters that are read one after the other may say more than all of the time. */
    @Test
    void gainOfCheaper_ofMoreThanAllTime_isFinite() {
        assertThat(new Measurement(1000, Limiters.cpu("decompress", 2), 0, 4, Map.of("decompress", 1.2), "counters", 0)
                        .gainOfCheaper("decompress", 0))
                .isCloseTo(100, within(1e-9));
    }

    @Test
    void processorsAllow_countsThoseThatAreFree() {
        assertThat(measured(1.5, 0.5).processorsAllow()).isCloseTo(2 / 1.5, within(1e-9));
        assertThat(measured(0, 2).processorsAllow()).isEqualTo(1);
    }

    private static Measurement measured(double cores, double freeCores) {
        return new Measurement(
                1000, Limiters.cpu("decompress", 2), cores, freeCores, Map.of("decompress", 0.5), "counters", 0);
    }
}
