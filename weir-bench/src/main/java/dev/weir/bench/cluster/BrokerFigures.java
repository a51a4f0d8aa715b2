package dev.weir.bench.cluster;

import dev.weir.bench.BenchException;
import dev.weir.bench.beans.BrokerBeans;
import dev.weir.bench.beans.BrokerSeries;
import dev.weir.bench.beans.BrokerTimes;
import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.result.Interval;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.testkit.Broker;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The counts and resources of brokers in processes of the campaign; of a cluster that is there already, nothing is
 * known. Confined to one thread.
 */
public final class BrokerFigures implements AutoCloseable {
    private final List<Broker> forked;
    private final BrokerLosses losses;
    private @Nullable BrokerBeans beans; // attached when first asked for, and again after a loss
    private @Nullable BrokerSeries series; // of these

    BrokerFigures(List<Broker> forked, BrokerLosses losses) {
        this.forked = forked;
        this.losses = losses;
    }

    /** Processor time of all brokers so far; {@link Interval#UNKNOWN} where it cannot be read. */
    public long cpuNanos() {
        return forked.isEmpty() ? Interval.UNKNOWN : losses.cpuNanos();
    }

    /** Returns whether fetches of that point are to be counted, and can be. */
    public boolean countsFetches(WorkloadPoint point) {
        return point.countsFetches() && !forked.isEmpty();
    }

    /** The fetches of consumers so far; only where {@link #countsFetches}. */
    public FetchCounter.Count fetched() {
        return new FetchCounter(beans()).read();
    }

    /** The times of requests so far; null where brokers cannot be asked, which is no reason not to measure. */
    public BrokerTimes.@Nullable Reading times() {
        if (forked.isEmpty()) {
            return null;
        }
        try {
            return new BrokerTimes(beans()).read();
        } catch (BenchException e) {
            return null;
        }
    }

    /**
     * The figures of brokers since the last call, by name; empty where they cannot be asked, or one is lost. To be
     * called once a second at most: it takes them some milliseconds.
     */
    public Map<String, Double> sample() {
        if (forked.isEmpty() || losses.isAnyLost()) {
            return Map.of();
        }
        try {
            BrokerSeries looked = series;
            if (looked == null) {
                looked = new BrokerSeries(beans());
                series = looked;
            }
            return looked.look();
        } catch (BenchException e) {
            return Map.of();
        }
    }

    private BrokerBeans beans() {
        BrokerBeans attached = beans;
        if (attached == null) {
            attached = new BrokerBeans(forked);
            beans = attached;
        }
        return attached;
    }

    /** Forgets whom it has asked; who is asked again is attached to anew. */
    @Override
    public void close() {
        BrokerBeans attached = beans;
        beans = null;
        series = null;
        if (attached != null) {
            attached.close();
        }
    }
}
