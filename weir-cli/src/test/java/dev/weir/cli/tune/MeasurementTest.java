package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.metrics.MachineLook;
import java.util.List;
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

    /** The load of a second ago may be that of a time when nothing ran. */
    @Test
    void free_isNoMoreThanWhatTheProcessItselfLeaves() {
        assertThat(Measurement.free(MachineLook.of(2, 0, 0.4, 0), 1.9)).isCloseTo(0.1, within(1e-9));
        assertThat(Measurement.free(MachineLook.of(2, 0, 0.9, 0), 1)).isCloseTo(0.2, within(1e-9));
        assertThat(Measurement.free(MachineLook.of(2, 0, 0.4, 0), 2.1)).isZero();
        assertThat(Measurement.free(MachineLook.unknown(2), 1)).isZero();
    }

    @Test
    void median_ofPasses_isTheOneInTheMiddle_orBetweenTheTwo() {
        List<Measurement> passes = List.of(rated(90), rated(30), rated(80));

        assertThat(Measurement.median(passes)).isEqualTo(rated(80));
        assertThat(Measurement.median(passes.subList(0, 2)).recordsPerSecond()).isEqualTo(60);
        assertThat(Measurement.median(passes.subList(0, 1))).isEqualTo(rated(90));
    }

    private static Measurement rated(double rate) {
        return new Measurement(rate, Limiters.cpu("stage " + rate, 2), rate / 100, 1, Map.of(), "counters", 0);
    }

    private static Measurement measured(double cores, double freeCores) {
        return new Measurement(
                1000, Limiters.cpu("decompress", 2), cores, freeCores, Map.of("decompress", 0.5), "counters", 0);
    }
}
