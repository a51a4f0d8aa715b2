package dev.weir.bench.trial;

import dev.weir.bench.beans.FetchCounter;
import dev.weir.bench.measurement.LiveResult;
import dev.weir.bench.measurement.PassSource;
import dev.weir.bench.result.Interval;
import dev.weir.bench.workload.Handlers;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerTime;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import dev.weir.driver.ShareOptions;
import dev.weir.driver.Usage;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

/**
 * A simulated driver at full speed, with simulated brokers, its own clock and seeded randomness. Confined to one
 * thread.
 *
 * <p>The time per record depends on the scenario. The processor time is multiplied by a factor between 0.8 and 1.25
 * that is derived from the driver's name and does not describe any real library. The time for commits is then added.
 * Handlers and a slow sink set a lower limit for the sum:
 *
 * <pre>
 * each scenario   {@link #RECORD_NANOS}, and {@link #BYTE_NANOS} per byte of the record's value
 * at-most-once    a commit of {@link #COMMIT_NANOS} for each group of records committed together
 * flow-control    {@link #PAUSE_NANOS}
 * work            the time of the handlers, divided by the number of concurrent handlers
 * pipeline        {@link #STEPS_NANOS}
 * copy            {@link #SEND_NANOS}
 * produce         {@link #SEND_NANOS}, and a commit for each transaction
 * </pre>
 *
 * A slow sink accepts no more than its configured rate. A process that has just started is slow and compiles its code.
 */
final class SimulatedPasses implements PassSource {
    static final double RECORD_NANOS = 500;
    static final double BYTE_NANOS = 0.5;
    static final double COMMIT_NANOS = 100_000;
    static final double PAUSE_NANOS = 20_000;
    static final double STEPS_NANOS = 60_000;
    static final double SEND_NANOS = 1_500;

    private static final long JOIN_NANOS = TimeUnit.MILLISECONDS.toNanos(400);
    private static final long ALLOCATED_BYTES = 500; // per record
    private static final double USED_HANDLERS = 0.97; // fraction of the allowed handlers in use
    private static final double HANDLER_OVERHEAD = 1.02; // ratio of actual to requested time
    private static final double COLD = 0.6; // initial shortfall of the rate, as a fraction
    private static final double WARM_UP_NANOS = 4e8; // time until the shortfall has shrunk to 37 %
    private static final double NOISE = 0.02; // relative noise of passes and intervals

    private final WorkloadPoint point;
    private final SplittableRandom random;
    private final double cpuNanos; // computing time per record
    private final double nanos; // time per record
    private final long intervalNanos;

    private double activeNanos; // duration of all passes so far
    private double passFactor = 1;
    private long most; // maximum number of records in the pass
    private long limitNanos;
    private long passNanos;
    private long records;
    private double begun; // part of the next record that is done
    private HandlerTime handlers = HandlerTime.NONE;
    private Usage usage = new Usage(0, 0, 0, 0, -1, -1, 0, 0, 0);
    private State state = State.ENDED;

    private enum State {
        STARTED,
        RUNNING,
        CLOSING,
        ENDED
    }

    SimulatedPasses(WorkloadPoint point, String driver, long seed) {
        this.point = point;
        this.random = new SplittableRandom(seed);
        double factor = Math.pow(1.25, new SplittableRandom(driver.hashCode()).nextDouble(-1, 1));
        this.cpuNanos = factor * costNanos(point);
        this.nanos = Math.max(cpuNanos + waitNanos(point), leastNanos(point));
        this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(point.intervalMillis());
    }

    private static double costNanos(WorkloadPoint point) {
        double own = RECORD_NANOS + BYTE_NANOS * point.valueBytes();
        return own
                + switch (point.scenario()) {
                    case CONSUME, AT_LEAST_ONCE, AT_MOST_ONCE, WORK, STEADY -> 0;
                    case FLOW_CONTROL -> PAUSE_NANOS;
                    case PIPELINE -> STEPS_NANOS;
                    case COPY, PRODUCE -> SEND_NANOS;
                };
    }

    /** The time per record that the driver spends waiting for brokers. */
    private static double waitNanos(WorkloadPoint point) {
        String option = switch (point.scenario()) {
            case AT_MOST_ONCE -> PassOptions.COMMIT_AHEAD;
            case PRODUCE -> PassOptions.TRANSACTION_RECORDS;
            default -> "";
        };
        if (option.isEmpty()) {
            return 0;
        }
        int together = ShareOptions.number(point.options(), option);
        boolean commits = option.equals(PassOptions.COMMIT_AHEAD) || together > 0;
        return commits ? COMMIT_NANOS / Math.max(1, together) : 0;
    }

    /** The minimum time per record, as limited by the handlers or a slow sink. */
    private static double leastNanos(WorkloadPoint point) {
        double ceiling = Handlers.ceilingPerSecond(point, HANDLER_OVERHEAD * workMillis(point));
        double least = Double.isNaN(ceiling) ? 0 : 1e9 / (ceiling * USED_HANDLERS);
        int sinkRate = ShareOptions.number(point.options(), PassOptions.SINK_RATE);
        return sinkRate > 0 ? Math.max(least, 1e9 / sinkRate) : least;
    }

    private static double workMillis(WorkloadPoint point) {
        return Double.parseDouble(point.options().getOrDefault(HandlerWork.MILLIS, "0"));
    }

    @Override
    public void configure(String topic) {
        state = State.ENDED;
    }

    @Override
    public String start(long mostRecords, double seconds) {
        most = mostRecords;
        limitNanos = (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        passNanos = 0;
        records = 0;
        begun = 1; // a pass begins when its first record is done
        handlers = HandlerTime.NONE;
        usage = new Usage(0, 0, 0, 0, -1, -1, 0, 0, 0);
        passFactor = noise();
        state = State.STARTED;
        return "model";
    }

    @Override
    public Report receive(Duration patience) {
        return switch (state) {
            case STARTED -> {
                state = State.RUNNING;
                yield new Report.First(0);
            }
            case RUNNING -> interval();
            case CLOSING -> {
                state = State.ENDED;
                long bytes = records * point.valueBytes();
                long retried = Math.round(records * (point.callsPerRecord() - 1));
                yield new Report.Passed(
                        records >= most,
                        records,
                        bytes,
                        passNanos,
                        JOIN_NANOS,
                        0,
                        usage,
                        new LedgerFigures(records, 0, 0, 0, 0, retried, 0),
                        Map.of(),
                        handlers);
            }
            case ENDED -> throw new IllegalStateException("no pass was started");
        };
    }

    private Report.Interval interval() {
        double cold = Math.exp(-activeNanos / WARM_UP_NANOS);
        double each = nanos * passFactor * noise() / (1 - COLD * cold);
        long length = Math.min(intervalNanos, limitNanos - passNanos);
        long came = (long) (begun + length / each);
        if (came >= most - records) {
            came = most - records;
            length = Math.max(1, (long) ((came - begun) * each));
        }
        begun += length / each - came;
        passNanos += length;
        activeNanos += length;
        records += came;
        boolean isLast = records >= most || passNanos >= limitNanos;
        state = isLast ? State.CLOSING : State.RUNNING;
        long compiling = (long) (cold * length);
        Usage used = new Usage(
                (long) (came * cpuNanos * noise()) + compiling,
                came * ALLOCATED_BYTES,
                0,
                0,
                -1,
                -1,
                0,
                0,
                TimeUnit.NANOSECONDS.toMillis(compiling));
        usage = usage.plus(used);
        HandlerTime worked = handlers(came);
        handlers = handlers.plus(worked);
        return new Report.Interval(passNanos, came, came * point.valueBytes(), used, worked, List.of(), isLast);
    }

    private HandlerTime handlers(long came) {
        if (Double.isNaN(Handlers.ceilingPerSecond(point))) {
            return HandlerTime.NONE;
        }
        long calls = Math.round(came * point.callsPerRecord());
        return new HandlerTime(calls, (long) (calls * HANDLER_OVERHEAD * workMillis(point) * 1e6));
    }

    private double noise() {
        return 1 + NOISE * (2 * random.nextDouble() - 1);
    }

    @Override
    public int cores() {
        return LiveResult.MANY_MACHINES;
    }

    @Override
    public long brokerCpuNanos() {
        return Interval.UNKNOWN;
    }

    @Override
    public boolean countsFetches() {
        return false;
    }

    @Override
    public FetchCounter.Count fetched() {
        throw new IllegalStateException("a model counts no fetches");
    }

    @Override
    public Report.Passed copied(String topic, String group, Report.Passed said) {
        return said;
    }

    @Override
    public LedgerFigures checked(String topic, LedgerFigures ledger) {
        return ledger;
    }

    @Override
    public void beginMeasured() {}

    @Override
    public void passBegins(boolean isMeasured) {}

    @Override
    public void passEnds() {}

    @Override
    public void sample() {}

    @Override
    public Map<String, Double> series() {
        return Map.of();
    }

    @Override
    public Map<String, Double> around() {
        return new LinkedHashMap<>();
    }

    @Override
    public Map<String, Double> perRecord(long cpuNanosOfAll, long recordsOfAll) {
        return Map.of();
    }

    @Override
    public void close() {}
}
