package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.LimitingParty;
import dev.weir.bench.statistics.SteadyState;
import dev.weir.bench.statistics.WarmUp;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.LoadShape;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import dev.weir.driver.Usage;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One run at a planned rate. Either a generator sends records that the driver reads in one pass, or the driver itself
 * produces records at the planned rate. {@code maxWarmUpSeconds} of warm-up precede the {@code measureSeconds} that are
 * measured. Confined to one thread; used once.
 */
public final class SteadyMeasurement {
    /** The name of the generator's driver, which is not a library under test. */
    public static final String GENERATOR = DriverLauncher.GENERATOR;

    /** Delay after the planned send time above which a record counts as late. */
    private static final long TOLERATED_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Time that a sending driver has to connect before its first record is due. */
    private static final long LEAD_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time in seconds from the end of the plan until an unfinished pass is aborted. */
    private static final int GRACE_SECONDS = 30;

    private final DriverSession driver;
    private final @Nullable DriverSession generator; // null if the driver itself sends
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final boolean isBaseline;
    private final SteadyPlan plan;
    private final SteadyBook book;

    private Report.@Nullable Passed ofSender; // set once the generator has sent everything

    public SteadyMeasurement(
            DriverProcess driver,
            @Nullable DriverProcess generator,
            BenchCluster cluster,
            WorkloadPoint point,
            boolean isBaseline) {
        this.driver = new DriverSession(driver, cluster, point);
        this.generator = generator == null ? null : new DriverSession(generator, cluster, point);
        this.cluster = cluster;
        this.point = point;
        this.isBaseline = isBaseline;
        this.plan = new SteadyPlan(point);
        this.book = new SteadyBook(cluster, point, plan, generator == null);
    }

    /**
     * Executes the run. A driver that sends begins its plan shortly after the start. A generator begins its plan once
     * the driver has read a first record. Each partition of {@code topic} must therefore contain one record.
     *
     * @param seed the seed for the random arrival times
     */
    public Measured run(String topic, long seed) throws InterruptedException {
        driver.hello();
        Map<String, String> sending = Map.of(
                SendPlan.RATE, Integer.toString(point.recordsPerSecond()),
                SendPlan.ARRIVALS, point.arrivals(),
                SendPlan.SHAPE, point.shape(),
                SendPlan.SEED, Long.toString(seed));
        long each = point.recordsPerPartition();
        if (generator == null) {
            sending = beginning(sending);
        } else {
            generator.hello(Scenario.PRODUCE);
        }
        start(driver, topic, each, point.scenario(), point.client(), with(sending, driver.options()));
        if (!(driver.receive() instanceof Report.First first)) {
            throw new RunFailure("it reported something else before its first record");
        }
        book.begin(first);
        if (generator != null) {
            start(generator, topic, each - 1, Scenario.PRODUCE, point.producer(), GeneratorPlan.held(point, seed));
            generator.ready();
            plan.begin(GeneratorPlan.begin(generator, point.recordsPerSecond()));
            return result(complete(heardFromBoth(generator)), topic);
        }
        Report.Passed passed = null;
        while (passed == null) {
            passed = book.heardFromDriver(driver.receive());
        }
        return result(complete(passed), topic);
    }

    /**
     * Executes a run with a generator and with commands. The run ends at its planned time.
     *
     * @param orders executes the commands
     * @param numbers receives the driver's record numbers
     */
    public Measured run(String topic, long seed, LiveSteady orders, RunNumbers numbers) throws InterruptedException {
        DriverSession sender = Objects.requireNonNull(generator);
        book.keepNumbers(numbers);
        driver.hello();
        sender.hello(Scenario.PRODUCE);
        Map<String, String> options = with(numbers.options(), driver.options());
        options.put(SendPlan.RATE, Integer.toString(point.recordsPerSecond()));
        driver.configure(topic, RunNumbers.MOST_RECORDS, point.scenario(), point.client(), options);
        driver.start(0, LiveGroup.SECONDS);
        if (!(driver.receive() instanceof Report.First first)) {
            throw new RunFailure("it reported something else before its first record");
        }
        book.begin(first);
        sender.configure(
                topic,
                RunNumbers.MOST_RECORDS - 1,
                Scenario.PRODUCE,
                point.producer(),
                GeneratorPlan.held(point, seed));
        sender.start(0, LiveGroup.SECONDS);
        sender.ready();
        plan.begin(GeneratorPlan.begin(sender, point.recordsPerSecond()));
        Report.Passed passed = orders.heard(plan, book, driver, sender, topic, numbers::came);
        LedgerFigures figures = numbers.ofOne(passed.ledger(), cluster.topics().ends(topic));
        if (!orders.isWhole() && figures.missing() > 0) {
            throw new RunFailure(figures.missing()
                    + " records were still missing when none had arrived for a minute: it lost them, or is stuck");
        }
        // A run that ended during its warm-up has no totals.
        Set<Flag> broken = figures.isBroken() ? EnumSet.of(Flag.GUARANTEE_BROKEN) : EnumSet.noneOf(Flag.class);
        return orders.changed(
                !book.hasMeasured() && orders.hasChanged()
                        ? measured(Totals.NONE, figures, broken)
                        : result(passed.with(figures), topic));
    }

    /** Adds the start time of a send plan that begins shortly. */
    private Map<String, String> beginning(Map<String, String> sending) {
        long startNanos = System.nanoTime() + LEAD_NANOS;
        plan.begin(startNanos);
        return with(sending, Map.of(SendPlan.START, Long.toString(startNanos)));
    }

    private Report.Passed heardFromBoth(DriverSession sender) throws InterruptedException {
        Report.Passed passed = null;
        Report.Passed sent = null;
        while (passed == null || sent == null) {
            // Check the generator first. If it failed, the driver waits for records that never arrive.
            Report said = sent == null ? sender.poll() : null;
            if (said != null) {
                sent = book.heardFromGenerator(said);
            } else if (passed == null) {
                passed = book.heardFromDriver(driver.receive());
            } else {
                sent = book.heardFromGenerator(sender.receive());
            }
        }
        ofSender = sent;
        if (!sent.complete()) {
            throw new RunFailure("the generator sent " + sent.records() + " records in time only; see the log");
        }
        return passed;
    }

    private static Map<String, String> with(Map<String, String> some, Map<String, String> others) {
        Map<String, String> both = new TreeMap<>(some);
        both.putAll(others);
        return both;
    }

    private void start(
            DriverSession process,
            String topic,
            long recordsPerPartition,
            Scenario scenario,
            Map<String, String> client,
            Map<String, String> options) {
        process.configure(topic, recordsPerPartition, scenario, client, options);
        double seconds =
                point.load().when(recordsPerPartition * point.partitions() / (double) point.recordsPerSecond());
        process.start(0, seconds + GRACE_SECONDS);
    }

    private Report.Passed complete(Report.Passed passed) {
        if (!passed.complete()) {
            throw new RunFailure((point.recordsPerPartition() * point.partitions() - passed.records())
                    + " records were still missing " + GRACE_SECONDS
                    + " s after the last one was sent: it lost them, or the rate is too high for it");
        }
        return passed;
    }

    private Measured result(Report.Passed passed, String topic) {
        Totals totals = book.totals(passed, ofSender);
        Set<Flag> flags = EnumSet.noneOf(Flag.class);
        flags.addAll(
                LimitingParty.ofProcessorTime(totals, driver.cores(), point.brokers(), point.streams(), isBaseline));
        if (LimitingParty.isGeneratorBound(book.lateness(), TOLERATED_NANOS)) {
            flags.add(Flag.GENERATOR_BOUND);
        }
        // The rate is planned, so only the processor cost can show that the warm-up was too short. A shaped load
        // changes this cost, so only the compilation time is checked then.
        SteadyState.Finding cost = SteadyState.of(book.intervals().stream()
                .mapToDouble(interval -> interval.cpuNanos() / (double) interval.lengthMillis())
                .toArray());
        boolean isShaped = point.load() != LoadShape.CONSTANT;
        if (!isShaped && (!cost.steady() || cost.from() > book.warmUpIntervals())) {
            flags.add(Flag.NOT_STEADY);
        }
        Usage used = book.used();
        if (WarmUp.isCompiling(used.compileMillis(), used.cpuNanos())) {
            flags.add(Flag.COMPILING);
        }
        LedgerFigures ledger = cluster.written().checked(point, topic, passed.ledger());
        if (ledger.isBroken()) {
            flags.add(Flag.GUARANTEE_BROKEN);
        }
        return measured(totals, ledger, flags);
    }

    private Measured measured(Totals totals, LedgerFigures ledger, Set<Flag> flags) {
        return new Measured(book.warmUpIntervals(), book.intervals(), totals, ledger, flags, book.latencies());
    }
}
