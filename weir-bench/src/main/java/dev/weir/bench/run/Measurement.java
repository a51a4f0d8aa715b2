package dev.weir.bench.run;

import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Interval;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Bottleneck;
import dev.weir.bench.statistics.SteadyState;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Command;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.Pass;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.Usage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run: passes until the rate is steady, then passes that count. Confined to one thread; used once.
 *
 * <p>A pass that is measured is cut off after {@code measureSeconds}; one that reads the whole topic sooner is followed by
 * others until so much time is measured. Warm-up is cut off after {@code maxWarmUpSeconds}, and the run flagged.
 */
final class Measurement {
    /** To join a group and get a first record, or to close down. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final double LEAST_PASS_SECONDS = 0.3;

    // Until then a client fills its buffers, which says nothing of how often it fetches.
    private static final long FILLED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    // A client that has read everything has a fetch at the broker, which answers after half a second, and only then
    // can it close: that would be a third of a campaign.
    private static final double PASS_SHARE = 0.9;

    private final DriverProcess driver;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final boolean isBaseline;
    private final List<Interval> intervals = new ArrayList<>();
    private final List<Double> rates = new ArrayList<>();
    private final List<Outcome> measured = new ArrayList<>();

    private long activeMillis;
    private long lastPassMillis;
    private LedgerFigures ledger = new LedgerFigures(0, 0, 0, 0, 0);

    Measurement(DriverProcess driver, BenchCluster cluster, WorkloadPoint point, boolean isBaseline) {
        this.driver = driver;
        this.cluster = cluster;
        this.point = point;
        this.isBaseline = isBaseline;
    }

    /**
     * A pass that is over.
     *
     * @param fetches null where they are not counted, or too short a pass
     */
    private record Outcome(
            Report.Passed passed,
            long brokerCpuNanos,
            @Nullable Fetches fetches) {}

    /** What brokers sent and what was delivered in the same part of a pass, or where that part begins. */
    private record Fetches(FetchCounter.Count count, long records, long bytes, long nanos) {}

    /** A dry run: one pass over so many records, which has to deliver each of them once, in order, and commit it. */
    static Report.Hello verify(
            DriverProcess driver, BenchCluster cluster, WorkloadPoint point, String topic, long recordsPerPartition)
            throws InterruptedException {
        Report.Hello hello = hello(driver, point);
        driver.send(configure(cluster, point, topic, recordsPerPartition));
        String group = newGroup();
        driver.send(new Command.Start(group, 0, PATIENCE.toSeconds()));
        Report report = driver.receive(PATIENCE);
        while (!(report instanceof Report.Passed passed)) {
            report = driver.receive(PATIENCE.multipliedBy(2));
        }
        LedgerFigures ledger = checked(cluster, point, topic, passed.ledger());
        if (!passed.complete() || isBroken(point, ledger)) {
            throw new RunFailure("it did not deliver each of " + recordsPerPartition * point.partitions()
                    + " records once and in order: " + ledger);
        }
        if (point.scenario() == Scenario.AT_LEAST_ONCE && !cluster.committedAll(group, topic, recordsPerPartition)) {
            throw new RunFailure("it did not commit all that it delivered");
        }
        return hello;
    }

    /** With what the brokers have, where the driver itself cannot tell. */
    private static LedgerFigures checked(
            BenchCluster cluster, WorkloadPoint point, String topic, LedgerFigures ledger) {
        return point.scenario() == Scenario.PRODUCE
                ? ledger.withWritten(cluster.written(topic, ledger.distinct()))
                : ledger;
    }

    private static Report.Hello hello(DriverProcess driver, WorkloadPoint point) throws InterruptedException {
        if (!(driver.receive(PATIENCE) instanceof Report.Hello hello)) {
            throw new RunFailure("it did not say hello first");
        }
        if (!hello.scenarios().contains(point.scenario())) {
            throw new RunFailure("it does not offer " + point.scenario().label() + ", only "
                    + hello.scenarios().stream().map(Scenario::label).toList());
        }
        return hello;
    }

    private static Command.Configure configure(
            BenchCluster cluster, WorkloadPoint point, String topic, long recordsPerPartition) {
        return new Command.Configure(
                cluster.bootstrapServers(),
                topic,
                point.partitions(),
                recordsPerPartition,
                point.valueBytes(),
                point.scenario(),
                point.client(),
                point.options(),
                point.intervalMillis());
    }

    private static String newGroup() {
        return "bench-" + UUID.randomUUID();
    }

    /** The run; {@code order}, {@code round} and {@code seed} say where it stands in the campaign. */
    Run run(String topic, String name, int round, int order, long seed) throws InterruptedException {
        long startedAtMillis = System.currentTimeMillis();
        hello(driver, point);
        driver.send(configure(cluster, point, topic, point.recordsPerPartition()));
        boolean steady = warmUp();
        int warmUpIntervals = intervals.size();
        double leftSeconds = point.seconds("measureSeconds");
        while (leftSeconds > 0) {
            Outcome outcome = pass(point.seconds("measureSeconds"));
            measured.add(outcome);
            leftSeconds -= outcome.passed().nanos() / 1e9;
        }
        ledger = checked(cluster, point, topic, ledger);
        Totals totals = totals();
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(Bottleneck.ofProcessorTime(
                totals, Runtime.getRuntime().availableProcessors(), point.brokers(), isBaseline));
        if (!steady) {
            flags.add(Flag.NOT_STEADY);
        }
        if (isBroken(point, ledger)) {
            flags.add(Flag.GUARANTEE_BROKEN);
        }
        return new Run(
                point.id(),
                name,
                round,
                order,
                seed,
                startedAtMillis,
                System.currentTimeMillis(),
                warmUpIntervals,
                intervals,
                totals,
                new Ledger(
                        ledger.distinct() + ledger.missing(),
                        ledger.distinct() + ledger.duplicates() + ledger.foreign(),
                        ledger.missing(),
                        ledger.duplicates(),
                        ledger.reordered()),
                flags,
                null);
    }

    private boolean warmUp() throws InterruptedException {
        double least = point.seconds("minWarmUpSeconds");
        double most = point.seconds("maxWarmUpSeconds");
        double warmSeconds = 0;
        while (warmSeconds < most) {
            double seconds = Math.min(Math.max(1, least), Math.max(LEAST_PASS_SECONDS, most - warmSeconds));
            warmSeconds += pass(seconds).passed().nanos() / 1e9;
            if (warmSeconds >= least && isSteady()) {
                return true;
            }
        }
        return false;
    }

    private boolean isSteady() {
        double[] series = new double[rates.size()];
        for (int i = 0; i < series.length; i++) {
            series[i] = rates.get(i);
        }
        return SteadyState.of(series).steady();
    }

    private Outcome pass(double seconds) throws InterruptedException {
        long most = (long) (point.recordsPerPartition() * point.partitions() * PASS_SHARE);
        driver.send(new Command.Start(newGroup(), Math.max(1, most), seconds));
        Duration patience = PATIENCE.plusSeconds((long) seconds);
        long brokerBefore = 0;
        long brokerLast = 0;
        Fetches from = null;
        long records = 0;
        long bytes = 0;
        while (true) {
            switch (driver.receive(patience)) {
                case Report.First first -> {
                    brokerBefore = cluster.cpuNanos();
                    brokerLast = brokerBefore;
                    lastPassMillis = 0;
                }
                case Report.Interval interval -> {
                    long broker = cluster.cpuNanos();
                    keep(interval, broker - brokerLast);
                    brokerLast = broker;
                    records += interval.records();
                    bytes += interval.bytes();
                    if (from == null && point.countsFetches() && interval.atNanos() >= FILLED_NANOS) {
                        from = new Fetches(cluster.fetched(), records, bytes, interval.atNanos());
                    }
                }
                case Report.Passed passed -> {
                    ledger = ledger.plus(passed.ledger());
                    return new Outcome(passed, brokerLast - brokerBefore, from == null ? null : since(from, passed));
                }
                case Report.Hello hello -> throw new RunFailure("hello came twice");
                case Report.Failed failed -> throw new RunFailure(failed.message());
            }
        }
    }

    private Fetches since(Fetches from, Report.Passed passed) {
        return new Fetches(
                cluster.fetched().since(from.count()),
                passed.records() - from.records(),
                passed.bytes() - from.bytes(),
                passed.nanos() - from.nanos());
    }

    /** The end of a pass is a shorter interval; its figures count, its rate says nothing of steadiness. */
    private void keep(Report.Interval interval, long brokerCpuNanos) {
        long passMillis = TimeUnit.NANOSECONDS.toMillis(interval.atNanos());
        long lengthMillis = Math.max(1, passMillis - lastPassMillis);
        intervals.add(new Interval(
                activeMillis,
                lengthMillis,
                interval.records(),
                interval.bytes(),
                interval.usage().cpuNanos(),
                interval.usage().allocatedBytes(),
                interval.usage().gcMillis(),
                Interval.UNKNOWN,
                interval.usage().heapBytes(),
                interval.usage().directBytes(),
                brokerCpuNanos));
        activeMillis += lengthMillis;
        lastPassMillis = passMillis;
        if (lengthMillis >= point.intervalMillis() * 0.8) {
            rates.add(interval.records() * 1e3 / lengthMillis);
        }
    }

    private Totals totals() {
        long records = 0;
        long bytes = 0;
        long nanos = 0;
        long broker = 0;
        double joinMillis = 0;
        Usage sum = new Usage(0, 0, 0, 0, 0, 0, 0, 0);
        for (Outcome outcome : measured) {
            Report.Passed passed = outcome.passed();
            records += passed.records();
            bytes += passed.bytes();
            nanos += passed.nanos();
            broker += outcome.brokerCpuNanos();
            joinMillis += passed.joinNanos() / 1e6;
            sum = sum.plus(passed.usage());
        }
        Map<String, Double> metrics = new LinkedHashMap<>();
        metrics.put("passes", (double) measured.size());
        metrics.put("join ms", joinMillis / measured.size());
        metrics.put("collections", (double) sum.gcCount());
        metrics.put("voluntary switches", (double) sum.voluntarySwitches());
        metrics.put("involuntary switches", (double) sum.involuntarySwitches());
        metrics.put("heap MB", sum.heapBytes() / 1e6);
        metrics.put("direct MB", sum.directBytes() / 1e6);
        putFetches(metrics);
        long switches =
                sum.voluntarySwitches() < 0 ? Interval.UNKNOWN : sum.voluntarySwitches() + sum.involuntarySwitches();
        return new Totals(
                records, bytes, nanos, sum.cpuNanos(), sum.allocatedBytes(), sum.gcMillis(), switches, broker, metrics);
    }

    private void putFetches(Map<String, Double> metrics) {
        double requests = 0;
        double sent = 0;
        double records = 0;
        double bytes = 0;
        double nanos = 0;
        for (Outcome outcome : measured) {
            Fetches fetches = outcome.fetches();
            if (fetches != null) {
                requests += fetches.count().requests();
                sent += fetches.count().bytes();
                records += fetches.records();
                bytes += fetches.bytes();
                nanos += fetches.nanos();
            }
        }
        if (requests > 0 && bytes > 0) {
            metrics.put(Totals.SENT_PER_BYTE, sent / bytes);
            metrics.put(Totals.RECORDS_PER_FETCH, records / requests);
            metrics.put(Totals.FETCHES_PER_SECOND, requests * 1e9 / nanos);
        }
    }

    /** Whether the ledger shows what the scenario does not allow. Order counts unless {@code options.ordering} is none. */
    private static boolean isBroken(WorkloadPoint point, LedgerFigures ledger) {
        boolean ordered = point.ordering() != Pass.Order.NONE;
        return !ledger.isExactlyOnce() || (ordered && ledger.reordered() > 0);
    }
}
