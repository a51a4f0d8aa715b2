package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.live.Fault;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.Orders;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Phase;
import dev.weir.bench.workload.AcceptedOrders;
import dev.weir.bench.workload.ClientProperties;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Report;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One run of a group at a planned rate, which orders change while it goes on: those of its timeline at their times, and those
 * that come through the {@link OrderDesk}. Confined to one thread; used once.
 */
public final class LiveMeasurement implements Orders.Target {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A backlog that does not shrink for so long does not shrink any more. */
    static final long DRAIN_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final List<TimelineEntry> planned;
    private final LiveListener listener;
    private final LiveGroup group;
    private final LiveFigures figures;
    private final GroupLedger ledger;
    private final BackgroundFigures background;
    private final GroupPulse pulse;
    private final LiveFaults faults;
    private final Disturbances disturbances;
    private final List<Begin> begins = new ArrayList<>();
    private final int cores; // of all processes
    private final Map<String, Double> ofSender = new TreeMap<>(); // its place and clock
    private final AtomicLong toldRecords = new AtomicLong(); // by members, in their intervals
    private final Map<String, List<Double>> told = new TreeMap<>(); // by members, of their clients

    private LiveSettings settings;
    private double endMillis;
    private boolean isTold; // second by second
    private long nextSecondNanos; // when the next one is
    private long brokerNanos;

    /** Of a phase: the order that began it, and what was set from then on. */
    private record Begin(double atMillis, String by, LiveSettings settings) {}

    /**
     * One run.
     *
     * @param timeline what is ordered at planned times
     * @param log takes what its processes print
     * @param numbers a file, not there yet, in which they note what came
     */
    public LiveMeasurement(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            List<TimelineEntry> timeline,
            Path log,
            Path numbers,
            LiveListener listener) {
        this.cores = launcher.isHere() ? Runtime.getRuntime().availableProcessors() : LiveResult.MANY_MACHINES;
        this.cluster = cluster;
        this.point = point;
        this.planned = List.copyOf(timeline);
        this.listener = listener;
        this.figures = new LiveFigures(point.partitions(), point.intervalMillis(), point.partitions());
        this.ledger = new GroupLedger(point.partitions());
        this.background = new BackgroundFigures(cluster, point.takesSeries());
        this.settings = new LiveSettings(point.recordsPerSecond(), workMillis(point), 0, Map.of());
        this.disturbances = new Disturbances(ExploreSettings.target(point));
        this.group = new LiveGroup(launcher, driver, cluster, point, log, numbers, new Ears());
        this.pulse = new GroupPulse(() -> group.look(toldRecords.get()));
        this.faults = new LiveFaults(group, cluster);
    }

    private static double workMillis(WorkloadPoint point) {
        return Double.parseDouble(point.options().getOrDefault(HandlerWork.MILLIS, "0"));
    }

    /** What the processes report. */
    private final class Ears implements TrialMembers.Listener {
        @Override
        public void ofMember(
                int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            if (point.copiesByPlan()) {
                figures.ofCopier(member, startNanos, endNanos, interval);
                return;
            }
            figures.ofMember(member, startNanos, endNanos, interval, timings);
            toldRecords.addAndGet(interval.records());
        }

        @Override
        public void ofReader(long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            figures.ofReader(startNanos, endNanos, interval, timings);
        }

        @Override
        public void ofGenerator(long startNanos, long endNanos, Report.Interval interval, List<Histogram> late) {
            figures.ofSender(startNanos, endNanos, interval.figures());
            figures.ofGenerator(startNanos, endNanos, interval.records(), late);
            GroupPulse.Look look = pulse.at(endNanos);
            figures.ofGroup(startNanos, endNanos, look.came(), look.again());
        }

        @Override
        public void delivered(Report.Delivered numbers) {
            ledger.add(numbers);
        }

        @Override
        public void passed(Report.Passed passed) {
            ledger.add(passed.ledger());
            passed.client()
                    .forEach((name, figure) ->
                            told.computeIfAbsent(name, n -> new ArrayList<>()).add(figure));
        }

        @Override
        public void sent(Report.Passed passed) {
            DriverSession.putSender(passed, ofSender);
        }

        @Override
        public void tick() {
            long now = System.nanoTime();
            if (isTold && now - nextSecondNanos >= 0) {
                nextSecondNanos = now + SECOND_NANOS;
                sampleBrokers(now);
                background.sample();
                figures.ofAround(now, background.series(now));
                listener.second(figures.latest(figures.millisSince(now), settings));
            }
        }
    }

    private void sampleBrokers(long now) {
        long before = brokerNanos;
        brokerNanos = cluster.cpuNanos();
        figures.ofBrokers(now, OptionalCounts.minus(brokerNanos, before));
    }

    /**
     * The run.
     *
     * @param topic with a record in each partition
     * @param seed draws the arrivals
     * @param desk where orders come in meanwhile
     */
    public Measured run(String topic, long seed, OrderDesk desk) throws InterruptedException {
        Orders orders = new Orders(desk, planned, this::nowMillis, (what, at) -> listener.changed(at, what));
        try (LiveGroup processes = group;
                GroupPulse noted = pulse) {
            processes.join(topic, settings);
            noted.start();
            settings = settings.withConsumers(processes.consumers());
            processes.assignment().forEach((name, figure) -> told.put(name, new ArrayList<>(List.of(figure))));
            long startNanos = processes.beginPlan(seed, settings.producerRate());
            double warmUpMillis = 1e3 * point.seconds("maxWarmUpSeconds");
            figures.begin(startNanos, warmUpMillis);
            begins.add(new Begin(0, "start", settings));
            endMillis = warmUpMillis + 1e3 * point.seconds("measureSeconds");
            brokerNanos = cluster.cpuNanos();
            background.begin();
            background.beginPass();
            nextSecondNanos = startNanos + 2 * SECOND_NANOS;
            isTold = true;
            processes.members().hearUntil(startNanos); // Nothing is ordered before the plan begins.
            while (nowMillis() < endMillis) {
                orders.take(this);
                requireSending();
                long left = (long) (1e6 * (endMillis - nowMillis()));
                processes.members().hearUntil(System.nanoTime() + Math.clamp(left, 0, LOOK_NANOS));
            }
            isTold = false;
            orders.end();
            background.endPass();
            // A last interval of each process is told a little later.
            processes
                    .members()
                    .hearUntil(System.nanoTime() + 2 * TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()));
            figures.end();
            Map<String, Double> around = background.figures();
            processes.members().endGenerator(); // Nothing more comes to the partitions.
            processes.work(0);
            boolean isWhole = catchesUp(processes::lag);
            var unused = catchesUp(processes::unread); // What does not come is found missing in the output.
            processes.leave();
            ofSender.forEach((name, figure) ->
                    told.computeIfAbsent(name, n -> new ArrayList<>()).add(figure));
            long[] ends = processes.ends();
            return new LiveResult(point, figures, told, around, cores, processes.handlers())
                    .measured(
                            endMillis,
                            processes.figures(ledger, ends),
                            isWhole,
                            orders.timeline(),
                            phases(),
                            disturbances.costs(figures, endMillis, processes.missing(ledger, ends)));
        }
    }

    private void requireSending() {
        if (!group.members().isSending()) {
            throw LiveGroup.sentAll();
        }
    }

    private double nowMillis() {
        return figures.millisSince(System.nanoTime());
    }

    @Override
    public double endMillis() {
        return endMillis;
    }

    @Override
    public @Nullable String objection(Order order) {
        try {
            ClientProperties.check(order);
            AcceptedOrders.check(point, order);
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
        return switch (order) {
            case Order.Set set
            when set.values().containsKey(Order.CONSUMERS) ->
                group.objection(settings.with(set).consumers());
            case Fault fault -> faults.objection(fault, settings);
            default -> null;
        };
    }

    @Override
    public Map<String, String> apply(Order order) throws InterruptedException {
        double atMillis = nowMillis();
        double begunMillis = atMillis;
        String begunBy = order.text();
        Map<String, String> did = new LinkedHashMap<>();
        switch (order) {
            case Order.Set set -> set(set, did);
            case Order.RestartConsumers restart ->
                did.put("restart-consumers", group.restart(restart.of(group.consumers()), settings));
            case Order.Pause pause -> {
                group.members().pause(pause.millis() / 1e3);
                did.put("pause", "all stood still for " + (long) pause.millis() + " ms");
            }
            case Order.Drain drain -> {
                begins.add(new Begin(atMillis, begunBy, settings.drained()));
                did.put("drain", drain());
                begunMillis = nowMillis();
                begunBy = "drained";
            }
            case Order.DiscardStats discard -> {
                figures.discard(atMillis);
                did.put("discard-stats", "what is measured begins here");
            }
            case Order.Extend extend -> {
                endMillis += extend.millis();
                did.put("extend", "ends at " + (long) endMillis + " ms");
            }
            case Order.End end -> {
                endMillis = atMillis;
                did.put("end", "ended");
            }
            case Fault fault -> did.put(fault.kind().label(), faults.apply(fault, settings));
        }
        disturbances.add(order, atMillis, nowMillis());
        settings = settings.withConsumers(group.consumers());
        begins.add(new Begin(begunMillis, begunBy, settings));
        return did;
    }

    private void set(Order.Set set, Map<String, String> did) throws InterruptedException {
        LiveSettings wanted = settings.with(set);
        if (wanted.producerRate() != settings.producerRate()) {
            group.send(wanted.producerRate());
        }
        if (wanted.workMillis() != settings.workMillis()) {
            group.work(wanted.workMillis());
        }
        boolean isOther = !wanted.client().equals(settings.client());
        settings = wanted;
        did.putAll(new TreeMap<>(set.values()));
        if (set.values().containsKey(Order.CONSUMERS)) {
            did.put(Order.CONSUMERS, group.resize(wanted));
        }
        if (isOther) {
            did.put("restarted", group.restart(group.consumers(), wanted));
        }
    }

    /** Nothing is sent and handlers take no time until the group has committed all; then as before. Returns what was done. */
    private String drain() throws InterruptedException {
        LiveSettings loaded = settings;
        settings = loaded.drained();
        group.send(settings.producerRate());
        group.work(settings.workMillis());
        awaitSent();
        boolean isWhole = catchesUp(group::lag);
        settings = loaded;
        group.work(settings.workMillis());
        group.send(settings.producerRate());
        return isWhole ? "nothing is left" : group.lag() + " records are left, and no fewer for a minute";
    }

    /** What was due before is sent first, however much it is, and has to be in its partition before the end is asked for. */
    private void awaitSent() throws InterruptedException {
        figures.sendsNoMore();
        group.members().hearUntil(System.nanoTime() + 2 * TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()));
        while (figures.isSending() && group.members().isSending()) {
            group.members().hearUntil(System.nanoTime() + LOOK_NANOS);
        }
    }

    /** Waits until nothing is left, such as of what the group has to commit; false if it gets no further. */
    private boolean catchesUp(LongSupplier leftNow) throws InterruptedException {
        long least = Long.MAX_VALUE;
        long leastNanos = System.nanoTime();
        for (long left = leftNow.getAsLong(); left > 0; left = leftNow.getAsLong()) {
            long now = System.nanoTime();
            if (left < least) {
                least = left;
                leastNanos = now;
            } else if (now - leastNanos >= DRAIN_PATIENCE_NANOS) {
                return false;
            }
            group.members().hearUntil(now + 5 * LOOK_NANOS);
        }
        return true;
    }

    /** From each order to the next one: known when all processes have reported. */
    private List<Phase> phases() {
        List<Phase> phases = new ArrayList<>();
        for (int i = 0; i < begins.size(); i++) {
            Begin begin = begins.get(i);
            double toMillis =
                    i + 1 < begins.size() ? begins.get(i + 1).atMillis() : Math.max(begin.atMillis(), endMillis);
            phases.add(figures.phase(begin.atMillis(), toMillis, begin.by(), begin.settings()));
        }
        return phases;
    }
}
