package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.Orders;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Phase;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The orders to a steady run: its rate, its length, a pause of the driver. Confined to the thread of the run; for one run.
 */
public final class LiveSteady implements Orders.Target {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /** For records to come that were sent last. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final WorkloadPoint point;
    private final BenchCluster cluster;
    private final OrderDesk desk;
    private final List<TimelineEntry> planned;
    private final LiveListener listener;
    private final List<Begin> begins = new ArrayList<>();

    private @Nullable Running running;
    private List<TimelineEntry> timeline = List.of();

    /** What is changed. */
    private record Running(SteadyMeasurement run, DriverSession driver, DriverSession generator) {}

    /** Of a phase: what had come and was due until then. */
    private record Begin(double atMillis, String by, double rate, long came, long due) {}

    /**
     * Those of a timeline and those that come in.
     *
     * @param planned what is ordered at planned times
     * @param desk where orders come in; the caller's to close
     */
    public LiveSteady(
            WorkloadPoint point,
            BenchCluster cluster,
            OrderDesk desk,
            List<TimelineEntry> planned,
            LiveListener listener) {
        this.point = point;
        this.cluster = cluster;
        this.desk = desk;
        this.planned = List.copyOf(planned);
        this.listener = listener;
    }

    /**
     * Hears both processes and takes orders until the run is over by time, all that was sent has come, or has not in time, and
     * the driver has closed down.
     */
    Report.Passed heard(SteadyMeasurement run, DriverSession driver, DriverSession generator, BooleanSupplier allCame)
            throws InterruptedException {
        running = new Running(run, driver, generator);
        begin("start");
        Orders orders = new Orders(
                desk,
                planned,
                () -> run.millisSince(System.nanoTime()),
                what -> listener.changed(run.millisSince(System.nanoTime()), what));
        Report.Passed sent = null;
        boolean isEnding = false;
        boolean isLeaving = false;
        long graceNanos = Long.MAX_VALUE;
        while (true) {
            if (!isEnding && run.millisSince(System.nanoTime()) >= 0) { // Nothing is ordered before the plan begins.
                orders.take(this);
            }
            Report said = sent == null ? generator.poll() : null;
            if (said != null) {
                sent = run.heardFromGenerator(said);
            }
            Report own = driver.poll();
            Report.Passed passed = own == null ? null : run.heardFromDriver(own);
            if (passed != null && isLeaving) {
                timeline = orders.timeline();
                begin("end");
                return passed;
            }
            long now = System.nanoTime();
            if (!isEnding && now - run.endNanos() >= 0) {
                generator.end();
                isEnding = true;
                graceNanos = now + GRACE_NANOS;
            }
            if (sent != null && !isLeaving && (now - graceNanos >= 0 || allCame.getAsBoolean())) {
                driver.end();
                isLeaving = true;
            }
            if (said == null && own == null) {
                cluster.requireBrokers();
                rest(LOOK_NANOS);
            }
        }
    }

    private static void rest(long nanos) throws InterruptedException {
        LockSupport.parkNanos(nanos);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    @Override
    public @Nullable String objection(Order order) {
        try {
            point.check(order);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    @Override
    public Map<String, String> apply(Order order) throws InterruptedException {
        Running now = Objects.requireNonNull(running);
        SteadyMeasurement run = now.run();
        long nanos = System.nanoTime();
        Map<String, String> did = switch (order) {
            case Order.Set set -> {
                double rate =
                        Double.parseDouble(set.values().getOrDefault(Order.PRODUCER_RATE, Double.toString(run.rate())));
                GeneratorPlan.change(now.generator(), nanos, rate);
                run.changeRate(nanos, rate);
                yield set.values();
            }
            case Order.Pause pause -> {
                freeze(now.driver(), nanos + (long) (1e6 * pause.millis()));
                yield Map.of("pause", "it stood still for " + (long) pause.millis() + " ms");
            }
            case Order.DiscardStats discard -> {
                run.discardUntil(nanos);
                yield Map.of("discard-stats", "what is measured begins here");
            }
            case Order.Extend extend -> {
                run.extend(extend.millis());
                yield Map.of("extend", "ends at " + (long) run.millisSince(run.endNanos()) + " ms");
            }
            case Order.End end -> {
                run.endAt(nanos);
                yield Map.of("end", "ended");
            }
            default -> throw new IllegalArgumentException(order.text());
        };
        begin(order.text());
        return did;
    }

    private static void freeze(DriverSession driver, long untilNanos) throws InterruptedException {
        driver.freeze();
        try {
            for (long left = untilNanos - System.nanoTime(); left > 0; left = untilNanos - System.nanoTime()) {
                rest(left);
            }
        } finally {
            driver.thaw();
        }
    }

    private void begin(String by) {
        Running now = running;
        if (now != null) {
            long nanos = System.nanoTime();
            SteadyMeasurement run = now.run();
            begins.add(new Begin(Math.max(0, run.millisSince(nanos)), by, run.rate(), run.came(), (long)
                    Math.max(0, run.dueUntil(nanos))));
        }
    }

    /** The result with what was ordered; as it is if nothing was. */
    Measured changed(Measured measured) {
        if (timeline.isEmpty()) {
            return measured;
        }
        Set<Flag> flags = EnumSet.of(Flag.CHANGED);
        flags.addAll(measured.flags());
        return new Measured(
                measured.warmUpIntervals(),
                measured.intervals(),
                measured.totals(),
                measured.ledger(),
                flags,
                measured.latencies(),
                timeline,
                phases(),
                List.of());
    }

    /** From each order to the next one, by what the driver had told until then. */
    private List<Phase> phases() {
        List<Phase> phases = new ArrayList<>();
        for (int i = 0; i + 1 < begins.size(); i++) {
            Begin from = begins.get(i);
            Begin to = begins.get(i + 1);
            long records = to.came() - from.came();
            phases.add(new Phase(
                    (long) from.atMillis(),
                    (long) to.atMillis(),
                    from.by(),
                    from.rate(),
                    0,
                    1,
                    to.due() - from.due(),
                    records,
                    1e3 * records / Math.max(1, to.atMillis() - from.atMillis()),
                    Double.NaN,
                    Double.NaN,
                    Math.max(0, to.due() - to.came())));
        }
        return phases;
    }
}
