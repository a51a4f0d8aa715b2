package dev.weir.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostSeriesTest {
    private static final long SECOND = 1_000_000_000;

    @TempDir
    private Path proc;

    @Test
    void rates_areOfTheTimeBetweenTwoLooks_partitionsCountWithTheirDisk() throws IOException {
        write(1_000, 2_000, 100, 5_000, 7_000, 900);
        HostSeries series = new HostSeries(proc);
        assertThat(series.look(0)).isEmpty();
        write(1_000 + 20_000, 2_000 + 40_000, 100 + 500, 5_000 + 4_000_000, 7_000 + 2_000_000, 900 + 6_000_000);
        Map<String, Double> figures = series.look(2 * SECOND);
        assertThat(figures.get(HostSeries.DISK_READ)).isCloseTo(20_000 * 512 / 2e6, within(1e-9));
        assertThat(figures.get(HostSeries.DISK_WRITTEN)).isCloseTo(40_000 * 512 / 2e6, within(1e-9));
        assertThat(figures.get(HostSeries.DISK_BUSY)).isCloseTo(25, within(1e-9));
        assertThat(figures.get(HostSeries.NETWORK_IN)).isCloseTo(2, within(1e-9));
        assertThat(figures.get(HostSeries.NETWORK_OUT)).isCloseTo(1, within(1e-9));
        assertThat(figures.get(HostSeries.LOOPBACK)).isCloseTo(3, within(1e-9));
    }

    @Test
    void systemWithoutSuchFiles_hasNoFigures() {
        HostSeries series = new HostSeries(proc.resolve("none"));
        assertThat(series.look(0)).isEmpty();
        assertThat(series.look(SECOND)).isEmpty();
    }

    private void write(long read, long written, long busyMillis, long in, long out, long loopback) throws IOException {
        String counts = " 5 0 " + read + " 7 9 0 " + written + " 11 0 " + busyMillis + " 13\n";
        Files.writeString(
                proc.resolve("diskstats"),
                "   7 0 loop0" + counts + " 253 0 vda" + counts + " 253 1 vda1" + counts + " 259 0 dm-0" + counts);
        Files.createDirectories(proc.resolve("net"));
        Files.writeString(
                proc.resolve("net/dev"),
                "Inter-|   Receive  |  Transmit\n face |bytes |bytes\n    lo:" + loopback + " 1 0 0 0 0 0 0 " + loopback
                        + " 1 0 0 0 0 0 0\n  eth0: " + in + " 1 0 0 0 0 0 0 " + out + " 1 0 0 0 0 0 0\n");
    }
}
