package dev.weir.bench.run;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What went on around a driver while it was measured: in the brokers, and on the whole machine. Confined to one thread. */
final class Surroundings {
    private final BenchCluster cluster;
    private final HostMeter host = new HostMeter();

    private BrokerTimes.@Nullable Reading from;

    Surroundings(BenchCluster cluster) {
        this.cluster = cluster;
    }

    /** What follows is measured. */
    void begin() {
        from = cluster.times();
        host.begin();
    }

    /** To be called now and then. */
    void sample() {
        host.sample();
    }

    /** Since the beginning, by name; what is not known is missing. */
    Map<String, Double> figures() {
        Map<String, Double> figures = new LinkedHashMap<>(host.figures());
        BrokerTimes.Reading before = from;
        BrokerTimes.Reading now = before == null ? null : cluster.times();
        if (before != null && now != null) {
            figures.putAll(now.since(before));
        }
        return figures;
    }
}
