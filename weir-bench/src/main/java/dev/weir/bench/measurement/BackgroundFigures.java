package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.cluster.BrokerTimes;
import dev.weir.driver.HostMeter;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Figures of the brokers and of the whole machine while a driver was measured. Confined to one thread. */
final class BackgroundFigures {
    private final BenchCluster cluster;
    private final HostMeter host = new HostMeter();

    private BrokerTimes.@Nullable Reading from;
    private boolean isBegun;
    private int losses; // of brokers, before

    BackgroundFigures(BenchCluster cluster) {
        this.cluster = cluster;
    }

    /** What follows is measured, as far as it lies in passes: of brokers, what is asked of them in the way there and back too. */
    void begin() {
        from = cluster.times();
        losses = cluster.losses();
        isBegun = true;
    }

    /** A pass begins; does nothing before {@link #begin}. */
    void beginPass() {
        if (isBegun) {
            host.begin();
        }
    }

    /** A pass is over: until the next one, nobody is measured, and processors rest while a group is joined. */
    void endPass() {
        host.end();
    }

    /** To be called now and then. */
    void sample() {
        host.sample();
    }

    /** Since the beginning, by name; what is not known is missing. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>(host.figures());
        BrokerTimes.Reading before = losses == cluster.losses() ? from : null;
        BrokerTimes.Reading now = before == null ? null : cluster.times();
        if (before != null && now != null) {
            figures.putAll(now.since(before));
        }
        return figures;
    }
}
