package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMeterTest {

    @TempDir
    private Path proc;

    @Test
    void figures_areOfTheTimeBetweenBeginsAndEnds() throws IOException {
        stat(100, 900, 0, 1);
        pressure(0);
        HostMeter meter = new HostMeter(proc);
        meter.begin();
        stat(150, 930, 4, 3);
        meter.sample();
        stat(170, 950, 10, 5);
        meter.sample();
        meter.end();
        stat(180, 9_950, 10, 9);
        meter.sample();
        meter.begin();
        stat(280, 9_950, 10, 1);
        meter.end();
        Map<String, Double> figures = meter.figures();
        assertThat(figures.get("host: busy %")).isCloseTo(100.0 * 180 / 230, within(0.01));
        assertThat(figures.get("host: stolen %")).isCloseTo(100.0 * 10 / 230, within(0.01));
        assertThat(figures.get("host: runnable")).isEqualTo(4);
        assertThat(figures.get("host: some wait for a core %")).isZero();
    }

    @Test
    void systemWithoutSuchFiles_hasNoFigures() {
        HostMeter meter = new HostMeter(proc.resolve("none"));
        meter.begin();
        meter.sample();
        meter.end();
        assertThat(meter.figures()).isEmpty();
    }

    @Test
    void systemWithoutPressure_hasTheOthers() throws IOException {
        stat(1, 1, 0, 1);
        HostMeter meter = new HostMeter(proc);
        meter.begin();
        stat(2, 2, 0, 1);
        meter.end();
        assertThat(meter.figures()).containsOnlyKeys("host: busy %", "host: stolen %");
    }

    private void stat(long user, long idle, long stolen, int running) throws IOException {
        Files.writeString(
                proc.resolve("stat"),
                "cpu  " + user + " 0 0 " + idle + " 0 0 0 " + stolen + " 0 0\ncpu0 1 1 1 1 1 1 1 1 0 0\nprocs_running "
                        + running + "\n");
    }

    private void pressure(long micros) throws IOException {
        Files.createDirectories(proc.resolve("pressure"));
        Files.writeString(
                proc.resolve("pressure/cpu"),
                "some avg10=1.00 avg60=0.00 avg300=0.00 total=" + micros + "\nfull avg10=0.00 total=0\n");
    }
}
