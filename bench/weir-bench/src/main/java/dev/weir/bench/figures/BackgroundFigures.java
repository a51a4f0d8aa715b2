package dev.weir.bench.figures;

import dev.weir.bench.beans.BrokerTimes;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.driver.HostMeter;
import dev.weir.driver.HostSeries;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures of the brokers and of the whole machine while a driver was measured. Confined to one thread. */
public final class BackgroundFigures {
    private static final long LEAST_NANOS = 990_000_000; // a second, minus a tolerance

    private final BenchCluster cluster;
    private final HostMeter host = new HostMeter();
    private final HostSeries series = new HostSeries();
    private final boolean takesSeries;
    private long seriesNanos; // time of the last reading
    private boolean hasSeries;

    private BrokerTimes.@Nullable Reading from;
    private boolean isBegun;
    private int losses; // broker losses at the start

    /**
     * Reads the figures of these brokers.
     *
     * @param takesSeries whether {@link #series} returns figures; otherwise it always returns an empty map
     */
    public BackgroundFigures(BenchCluster cluster, boolean takesSeries) {
        this.cluster = cluster;
        this.takesSeries = takesSeries;
    }

    /** Begins the measured part of the run. */
    public void begin() {
        from = cluster.figures().times();
        losses = cluster.losses().count();
        isBegun = true;
    }

    /** Marks the start of a pass; does nothing before {@link #begin}. */
    public void beginPass() {
        if (isBegun) {
            host.begin();
        }
    }

    /** Marks the end of a pass. The time until the next pass is not measured. */
    public void endPass() {
        host.end();
    }

    /**
     * Returns the current figures of brokers and machine, by name. The result is empty if the last reading was less
     * than a second ago.
     */
    public Map<String, Double> series(long nowNanos) {
        if (!takesSeries || (hasSeries && nowNanos - seriesNanos < LEAST_NANOS)) {
            return Map.of();
        }
        hasSeries = true;
        seriesNanos = nowNanos;
        Map<String, Double> figures = new LinkedHashMap<>(series.look(nowNanos));
        figures.putAll(cluster.figures().sample());
        return figures;
    }

    /** Takes a sample. Call regularly. */
    public void sample() {
        host.sample();
    }

    /** Returns the figures since {@link #begin}, by name. Unknown figures are missing. */
    public Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>(host.figures());
        BrokerTimes.Reading before = losses == cluster.losses().count() ? from : null;
        BrokerTimes.Reading now = before == null ? null : cluster.figures().times();
        if (before != null && now != null) {
            figures.putAll(now.since(before));
        }
        return figures;
    }
}
