package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.Orders;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.Phase;
import dev.weir.bench.workload.AcceptedOrders;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Report;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Executes a user's commands during a run at a planned rate. Commands change the rate or the length, or pause the
 * driver. Confined to the thread of the run; used for one run.
 */
public final class LiveSteady implements Orders.Target {
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long PATIENCE_NANOS = DriverSession.PATIENCE.toNanos();

    private final WorkloadPoint point;
    private final BenchCluster cluster;
    private final OrderDesk desk;
    private final List<TimelineEntry> planned;
    private final LiveListener listener;
    private final List<Begin> begins = new ArrayList<>();

    private @Nullable Running running;
    private List<TimelineEntry> timeline = List.of();
    private boolean isWhole;

    private enum Stage {
        /** The generator sends records as planned, and changes are accepted. */
        SENDING,
        /** The generator is closing down. */
        ENDING,
        /** The driver has not received all sent records yet. */
        CATCHING_UP,
        /** The driver is closing down. */
        LEAVING
    }

    /** The start of a phase, with the numbers of records received ({@code came}) and due by then. */
    private record Begin(double atMillis, String by, double rate, long came, long due) {}

    /**
     * Creates the target for the commands of a timeline and for commands that arrive during the run.
     *
     * @param planned the commands with planned times
     * @param desk receives the other commands; the caller closes it
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

    /** Tracks the progress of the driver and the generator. */
    private final class Running {
        private final SteadyPlan plan;
        private final SteadyBook book;
        private final DriverSession driver;
        private final DriverSession generator;
        private final String topic;
        private final LongSupplier came;
        private Stage stage = Stage.SENDING;
        private long sinceNanos; // start of the stage; in CATCHING_UP, time of the last progress
        private long missing = Long.MAX_VALUE; // the smallest number of missing records so far
        private long written; // final number of records in the topic
        private Report.@Nullable Passed sent;
        private Report.@Nullable Passed passed;

        Running(
                SteadyPlan plan,
                SteadyBook book,
                DriverSession driver,
                DriverSession generator,
                String topic,
                LongSupplier came) {
            this.plan = plan;
            this.book = book;
            this.driver = driver;
            this.generator = generator;
            this.topic = topic;
            this.came = came;
        }

        private void enter(Stage next) {
            stage = next;
            sinceNanos = System.nanoTime();
        }

        private boolean isOverdue(long patienceNanos) {
            return System.nanoTime() - sinceNanos >= patienceNanos;
        }

        void hear() throws InterruptedException {
            Report said = sent == null ? generator.poll() : null;
            if (said != null) {
                sent = book.heardFromGenerator(said);
            }
            Report own = driver.poll();
            if (own != null) {
                passed = book.heardFromDriver(own);
            }
            if (passed != null && stage != Stage.LEAVING) {
                throw new RunFailure("it ended by itself");
            }
            if (said == null && own == null) {
                cluster.requireBrokers();
                LockSupport.parkNanos(REST_NANOS);
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
        }

        void look(Orders orders) throws InterruptedException {
            switch (stage) {
                case SENDING -> {
                    if (plan.millisSince(System.nanoTime()) >= 0) { // No commands before the plan begins.
                        orders.take(LiveSteady.this);
                    }
                    if (sent != null) {
                        throw RunNumbers.sentAll();
                    }
                    if (System.nanoTime() - plan.endNanos() >= 0) {
                        orders.end();
                        generator.end();
                        enter(Stage.ENDING);
                    }
                }
                case ENDING -> {
                    if (sent != null) {
                        written = Arrays.stream(cluster.topics().ends(topic)).sum();
                        enter(Stage.CATCHING_UP);
                    } else if (isOverdue(PATIENCE_NANOS)) {
                        throw new RunFailure("the generator did not close down within "
                                + TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS) + " s");
                    }
                }
                case CATCHING_UP -> {
                    long left = written - came.getAsLong();
                    if (left < missing) {
                        missing = left;
                        sinceNanos = System.nanoTime();
                    }
                    isWhole = left <= 0;
                    if (isWhole || isOverdue(LiveMeasurement.DRAIN_PATIENCE_NANOS)) {
                        driver.end();
                        enter(Stage.LEAVING);
                    }
                }
                case LEAVING -> {
                    if (isOverdue(2 * PATIENCE_NANOS)) {
                        throw new RunFailure("it did not close down within "
                                + TimeUnit.NANOSECONDS.toSeconds(2 * PATIENCE_NANOS) + " s");
                    }
                }
            }
        }
    }

    /**
     * Receives the reports of both processes and executes commands until the driver has closed down. After the planned
     * end, waits until the driver has received all sent records or makes no more progress.
     *
     * @param came supplies the number of received records
     * @throws RunFailure if a process fails or does not close down
     */
    Report.Passed heard(
            SteadyPlan plan,
            SteadyBook book,
            DriverSession driver,
            DriverSession generator,
            String topic,
            LongSupplier came)
            throws InterruptedException {
        Running both = new Running(plan, book, driver, generator, topic, came);
        running = both;
        begin("start");
        Orders orders = new Orders(
                desk,
                planned,
                () -> plan.millisSince(System.nanoTime()),
                (what, atMillis) -> listener.changed(atMillis, what));
        long nextLookNanos = System.nanoTime();
        Report.Passed passed = null;
        while (passed == null) {
            both.hear();
            passed = both.passed;
            if (System.nanoTime() - nextLookNanos >= 0) {
                both.look(orders);
                nextLookNanos = System.nanoTime() + LOOK_NANOS;
            }
        }
        timeline = orders.timeline();
        begin("end");
        return passed;
    }

    /** Returns whether all sent records had arrived before the driver was stopped. */
    boolean isWhole() {
        return isWhole;
    }

    boolean hasChanged() {
        return !timeline.isEmpty();
    }

    /** The end of the measured part. Later commands have no effect on the results. */
    @Override
    public double endMillis() {
        SteadyPlan plan = Objects.requireNonNull(running).plan;
        return plan.millisSince(plan.measureToNanos());
    }

    @Override
    public @Nullable String objection(Order order) {
        try {
            AcceptedOrders.check(point, order);
            return null;
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    @Override
    public Map<String, String> apply(Order order) throws InterruptedException {
        Running now = Objects.requireNonNull(running);
        SteadyPlan plan = now.plan;
        long nanos = System.nanoTime();
        Map<String, String> did = switch (order) {
            case Order.Set set -> {
                double rate = Double.parseDouble(
                        set.values().getOrDefault(Order.PRODUCER_RATE, Double.toString(plan.rate())));
                GeneratorPlan.change(now.generator, nanos, rate);
                plan.changeRate(nanos, rate);
                yield set.values();
            }
            case Order.Pause pause -> {
                freeze(now, nanos + (long) (1e6 * pause.millis()));
                yield Map.of("pause", "it was paused for " + (long) pause.millis() + " ms");
            }
            case Order.DiscardStats discard -> {
                now.book.discardUntil(nanos);
                yield Map.of("discard-stats", "measuring begins here");
            }
            case Order.Extend extend -> {
                plan.extend(extend.millis());
                yield Map.of("extend", "ends at " + (long) plan.millisSince(plan.endNanos()) + " ms");
            }
            case Order.End end -> {
                plan.endAt(nanos);
                yield Map.of("end", "ended");
            }
            default -> throw new IllegalArgumentException(order.text());
        };
        begin(order.text());
        return did;
    }

    private static void freeze(Running both, long untilNanos) throws InterruptedException {
        both.driver.freeze();
        try {
            while (System.nanoTime() - untilNanos < 0) {
                both.hear();
            }
        } finally {
            both.driver.thaw();
        }
    }

    private void begin(String by) {
        Running now = running;
        if (now != null) {
            long nanos = System.nanoTime();
            SteadyPlan plan = now.plan;
            begins.add(new Begin(Math.max(0, plan.millisSince(nanos)), by, plan.rate(), now.book.came(), (long)
                    Math.max(0, plan.dueUntil(nanos))));
        }
    }

    /** Returns the result with the executed commands, if there were any. */
    Measured changed(Measured measured) {
        if (!hasChanged()) {
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
                List.of(),
                List.of());
    }

    /** Returns the phases between consecutive changes. */
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
