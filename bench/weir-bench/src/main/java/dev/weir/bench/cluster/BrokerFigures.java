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
 * The counts and resource use of forked brokers. The figures of an existing cluster are unknown. Confined to one
 * thread.
 */
public final class BrokerFigures implements AutoCloseable {
    private final List<Broker> forked;
    private final BrokerLosses losses;
    private @Nullable BrokerBeans beans; // attached on first use and after each broker loss
    private @Nullable BrokerSeries series; // reads the beans above

    BrokerFigures(List<Broker> forked, BrokerLosses losses) {
        this.forked = forked;
        this.losses = losses;
    }

    /** Returns the processor time of all brokers so far; {@link Interval#UNKNOWN} if it cannot be read. */
    public long cpuNanos() {
        return forked.isEmpty() ? Interval.UNKNOWN : losses.cpuNanos();
    }

    /** Returns whether the point requires fetch counts and the brokers provide them. */
    public boolean countsFetches(WorkloadPoint point) {
        return point.countsFetches() && !forked.isEmpty();
    }

    /**
     * Returns the bytes and requests of consumers' fetches so far. Call it only if {@link #countsFetches} returns true.
     */
    public FetchCounter.Count fetched() {
        return new FetchCounter(beans()).read();
    }

    /** Returns the request times since the brokers started; null if the metrics cannot be read. */
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
     * Returns the brokers' figures since the last call, by name; empty if a broker is down as planned or cannot be
     * read. Call this at most once a second: each call costs the brokers a few milliseconds.
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

    /** Detaches from the brokers. The next call that reads their metrics attaches to them again. */
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
