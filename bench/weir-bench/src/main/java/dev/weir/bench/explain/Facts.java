package dev.weir.bench.explain;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.DriverResult;
import dev.weir.bench.statistics.Samples;
import dev.weir.bench.workload.LockWindow;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Pass;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of a driver at a point: medians over its finished runs. Voided runs are included, because their figures
 * explain why they were voided. Unknown figures are NaN, and comparisons with them are false. Immutable.
 */
final class Facts {

    private final List<Run> runs;
    private final @Nullable WorkloadPoint workload;
    private final int cores;

    /**
     * Collects the figures.
     *
     * @param workload null if the campaign's workload is no longer readable
     * @param cores number of the machine's processor cores
     */
    Facts(DriverResult driver, @Nullable WorkloadPoint workload, int cores) {
        this.runs = driver.runs().stream()
                .filter(run -> run.failure() == null
                        && run.totals().elapsedNanos() > 0
                        && !run.flags().contains(Flag.CHANGED))
                .toList();
        this.workload = workload;
        this.cores = cores;
    }

    boolean isEmpty() {
        return runs.isEmpty();
    }

    @Nullable
    WorkloadPoint workload() {
        return workload;
    }

    int cores() {
        return cores;
    }

    /** Returns whether the driver runs at full speed and waits only for brokers; false if the workload is unknown. */
    boolean streams() {
        return workload != null && workload.streams();
    }

    long with(Flag flag) {
        return runs.stream().filter(run -> run.flags().contains(flag)).count();
    }

    boolean isMostly(Flag flag) {
        return 2 * with(flag) >= runs.size() && !runs.isEmpty();
    }

    int size() {
        return runs.size();
    }

    double rate() {
        return median(run -> run.totals().recordsPerSecond());
    }

    /** Number of processor cores that the driver kept busy. */
    double driverCores() {
        return median(run -> share(run.totals().cpuNanos(), run.totals()));
    }

    /** Average number of runnable driver threads that waited for a processor core. */
    double waitedCores() {
        return metric(Pass.WAITED_FOR_CORES) / 100;
    }

    /** Number of processor cores that all brokers together kept busy. */
    double brokerCores() {
        return median(run -> share(run.totals().brokerCpuNanos(), run.totals()));
    }

    /** Fraction of the machine's processor time that was used for any purpose, from 0 to 1. */
    double machineBusy() {
        return metric("host: busy %") / 100;
    }

    /** Fraction of the elapsed time that the driver spent on garbage collection, from 0 to 1. */
    double collecting() {
        return median(run -> run.totals().gcMillis() < 0
                ? Double.NaN
                : run.totals().gcMillis() * 1e6 / run.totals().elapsedNanos());
    }

    double metric(String name) {
        return median(run -> run.totals().metrics().getOrDefault(name, Double.NaN));
    }

    /** Milliseconds that handlers block for one record, including failing calls. */
    double handlerMillis() {
        WorkloadPoint point = workload();
        return metric(Totals.HANDLER_MILLIS) * (point == null ? 1 : point.callsPerRecord());
    }

    /** Milliseconds of a request as the client measures them. The request is {@code fetch} or {@code produce}. */
    double clientMillis(String request) {
        return metric("client: " + request + " ms");
    }

    double brokerMillis(String request, String part) {
        return metric("broker: " + request + " " + part + " ms");
    }

    /**
     * Milliseconds that a request spends in a broker's threads and their queues, without waits for data or the network.
     */
    double brokersOwnMillis(String request) {
        return brokerMillis(request, "queued")
                + brokerMillis(request, "local")
                + brokerMillis(request, "answer queued");
    }

    double recordsPerFetch() {
        double counted = metric(Totals.RECORDS_PER_FETCH);
        return Double.isNaN(counted) ? metric("client: records per fetch") : counted;
    }

    /** The average number of fetches in flight, by Little's law. */
    double outstandingFetches() {
        return rate() / recordsPerFetch() * clientMillis("fetch") / 1e3;
    }

    List<String> evidence() {
        List<String> evidence = new ArrayList<>();
        add(evidence, "%,.0f records/s", rate());
        add(evidence, "the driver kept %.2f cores busy", driverCores());
        add(evidence, "its threads waited for %.2f more", waitedCores());
        add(evidence, "the brokers kept %.2f cores busy", brokerCores());
        add(evidence, "the machine was %.0f %% busy", 100 * machineBusy());
        add(evidence, "collections took %.1f %% of the time", 100 * collecting());
        for (String request : List.of("fetch", "produce")) {
            add(evidence, "a " + request + " took %.2f ms for the client", clientMillis(request));
            add(evidence, "a " + request + " took %.2f ms in the brokers, as they say", brokerMillis(request, "total"));
            add(evidence, "%.2f ms of these were the brokers' work and queues", brokersOwnMillis(request));
        }
        add(evidence, "a fetch brought %.1f kB", metric("client: kB per fetch"));
        add(evidence, "a batch had %.1f kB", metric("client: kB per batch"));
        add(evidence, "a handler blocked for %.3f ms", metric(Totals.HANDLER_MILLIS));
        add(evidence, "%.1f handlers blocked at a time", rate() * handlerMillis() / 1e3);
        add(evidence, "%.0f %% of the locks of the fullest partition were held", metric(LockWindow.HELD_PERCENT));
        add(evidence, "windows of locks let %,.0f records/s through at most", metric(LockWindow.CEILING));
        return List.copyOf(evidence);
    }

    private static void add(List<String> evidence, String text, double value) {
        if (Double.isFinite(value)) {
            evidence.add(String.format(Locale.ROOT, text, value));
        }
    }

    private static double share(long nanos, Totals totals) {
        return nanos == Interval.UNKNOWN ? Double.NaN : nanos / (double) totals.elapsedNanos();
    }

    private double median(ToDoubleFunction<Run> figure) {
        return Samples.median(runs.stream().mapToDouble(figure).toArray());
    }
}
