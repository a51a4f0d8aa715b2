package dev.weir.bench.measurement;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.BackgroundFigures;
import dev.weir.bench.figures.ProcessorCounters;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Report;
import java.time.Duration;
import java.util.Map;

/** Runs the passes of a driver's process against a cluster. Confined to one thread; used for one run. */
public final class DriverPasses implements PassSource {
    private final DriverSession driver;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final BackgroundFigures background;
    private final ProcessorCounters counters;

    /**
     * Creates the passes of a driver's process, whose greeting must not have been read. The caller closes the process.
     */
    public DriverPasses(DriverProcess process, BenchCluster cluster, WorkloadPoint point) {
        this.driver = new DriverSession(process, cluster, point);
        this.cluster = cluster;
        this.point = point;
        this.background = new BackgroundFigures(cluster, point.takesSeries());
        this.counters = new ProcessorCounters(process.pidHere());
    }

    @Override
    public void configure(String topic) throws InterruptedException {
        driver.hello();
        driver.configure(topic, point.recordsPerPartition());
        if (countsFetches()) {
            var ignored = fetched(); // The first call is slow, because it looks up the counters.
        }
    }

    @Override
    public String start(long records, double seconds) {
        return driver.start(records, seconds);
    }

    @Override
    public Report receive(Duration patience) throws InterruptedException {
        return driver.receive(patience);
    }

    @Override
    public int cores() {
        return driver.cores();
    }

    @Override
    public long brokerCpuNanos() {
        return cluster.cpuNanos();
    }

    @Override
    public boolean countsFetches() {
        return cluster.figures().countsFetches(point);
    }

    @Override
    public FetchCounter.Count fetched() {
        return cluster.figures().fetched();
    }

    @Override
    public Report.Passed copied(String topic, String group, Report.Passed said) {
        return cluster.written().copied(point, topic, point.recordsPerPartition(), group, said);
    }

    @Override
    public LedgerFigures checked(String topic, LedgerFigures ledger) {
        return cluster.written().checked(point, topic, ledger);
    }

    @Override
    public void beginMeasured() {
        background.begin();
    }

    @Override
    public void passBegins(boolean isMeasured) {
        background.beginPass();
        if (isMeasured) {
            counters.begin();
        }
    }

    @Override
    public void passEnds() throws InterruptedException {
        background.endPass();
        counters.end();
    }

    @Override
    public void sample() {
        background.sample();
    }

    @Override
    public Map<String, Double> series() {
        return background.series(System.nanoTime());
    }

    @Override
    public Map<String, Double> around() {
        return background.figures();
    }

    @Override
    public Map<String, Double> perRecord(long cpuNanos, long records) {
        return counters.perRecord(cpuNanos, records);
    }

    @Override
    public void close() {
        counters.close();
    }
}
