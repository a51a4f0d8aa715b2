package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.live.Answer;
import dev.weir.bench.live.Order;
import dev.weir.bench.live.OrderDesk;
import dev.weir.bench.live.TimelineEntry;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.result.Phase;
import dev.weir.bench.workload.ClientProperties;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Report;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One run of a group at a planned rate, which orders change while it goes on: those of its timeline at their times, and those
 * that come through the {@link OrderDesk}. Confined to one thread; used once.
 */
public final class LiveMeasurement {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** A backlog that does not shrink for so long does not shrink any more. */
    private static final long DRAIN_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final Queue<TimelineEntry> planned;
    private final LiveListener listener;
    private final LiveGroup group;
    private final LiveFigures figures;
    private final GroupLedger ledger;
    private final BackgroundFigures background;
    private final List<TimelineEntry> timeline = new ArrayList<>();
    private final List<Begin> begins = new ArrayList<>();
    private final int cores; // of all processes
    private final Map<String, Double> ofSender = new TreeMap<>(); // its place and clock
    private final Map<String, List<Double>> told = new TreeMap<>(); // by members, of their clients

    private LiveSettings settings;
    private double endMillis;
    private boolean isTold; // second by second
    private boolean takesOrders = true;
    private long nextSecondNanos; // when the next one is
    private long brokerNanos;

    /** Of a phase: the order that began it, and what was set from then on. */
    private record Begin(double atMillis, String by, LiveSettings settings) {}

    /**
     * One run.
     *
     * @param timeline what is ordered at planned times
     * @param log takes what its processes print
     */
    public LiveMeasurement(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            List<TimelineEntry> timeline,
            Path log,
            LiveListener listener) {
        this.cores = launcher.isHere() ? Runtime.getRuntime().availableProcessors() : LiveResult.MANY_MACHINES;
        this.cluster = cluster;
        this.point = point;
        this.planned = new ArrayDeque<>(timeline);
        this.listener = listener;
        this.figures = new LiveFigures(point.partitions(), point.intervalMillis(), point.partitions());
        this.ledger = new GroupLedger(point.partitions());
        this.background = new BackgroundFigures(cluster);
        this.settings = new LiveSettings(point.recordsPerSecond(), workMillis(point), 0, Map.of());
        this.group = new LiveGroup(launcher, driver, cluster, point, log, new Ears());
    }

    private static double workMillis(WorkloadPoint point) {
        return Double.parseDouble(point.options().getOrDefault(HandlerWork.MILLIS, "0"));
    }

    /** What the processes report. */
    private final class Ears implements TrialMembers.Listener {
        @Override
        public void ofMember(long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            figures.ofMember(startNanos, endNanos, interval, timings);
        }

        @Override
        public void ofGenerator(long startNanos, long endNanos, Report.Interval interval, List<Histogram> late) {
            figures.ofGenerator(startNanos, endNanos, interval.records(), late);
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
        try (LiveGroup processes = group) {
            processes.join(topic, settings);
            settings = settings.withConsumers(processes.consumers());
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
                takeOrders(desk);
                requireSending();
                long left = (long) (1e6 * (endMillis - nowMillis()));
                processes.members().hearUntil(System.nanoTime() + Math.clamp(left, 0, LOOK_NANOS));
            }
            isTold = false;
            planned.forEach(late -> listener.changed(
                    nowMillis(),
                    "ended before " + text(late.order()) + " at "
                            + late.fields().get("at")));
            background.endPass();
            // A last interval of each process is told a little later.
            processes
                    .members()
                    .hearUntil(System.nanoTime() + 2 * TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()));
            figures.end();
            Map<String, Double> around = background.figures();
            processes.members().endGenerator(); // Nothing more comes to the partitions.
            processes.work(0);
            boolean isWhole = catchesUp();
            processes.leave();
            ofSender.forEach((name, figure) ->
                    told.computeIfAbsent(name, n -> new ArrayList<>()).add(figure));
            return new LiveResult(point, figures, told, around, cores)
                    .measured(endMillis, ledger.figures(processes.ends()), isWhole, timeline, phases());
        }
    }

    private void requireSending() {
        if (!group.members().isSending()) {
            throw new RunFailure("the generator has sent all that a run can count, " + LiveGroup.MOST_RECORDS
                    + " records to each partition: let it run shorter, or at a lower rate");
        }
    }

    private double nowMillis() {
        return figures.millisSince(System.nanoTime());
    }

    private void takeOrders(OrderDesk desk) throws InterruptedException {
        for (TimelineEntry next = planned.peek();
                next != null && next.atMillis() <= Math.min(nowMillis(), endMillis);
                next = planned.peek()) {
            planned.remove();
            String objection = objection(next.order());
            if (objection != null) {
                throw new RunFailure(
                        "its timeline cannot be followed at " + next.fields().get("at") + ": " + objection);
            }
            apply(next.order());
        }
        OrderDesk.Waiting waiting = waiting(desk);
        if (waiting != null) {
            Order order = waiting.order();
            String objection = order == null ? waiting.fault() : objection(order);
            Answer answer;
            if (order == null || objection != null) {
                answer = Answer.refused(String.valueOf(objection), (long) nowMillis(), timeline);
            } else {
                apply(order);
                answer = Answer.accepted(timeline);
            }
            try {
                desk.answer(waiting.number(), answer);
            } catch (UncheckedIOException e) { // No reason to lose the run.
                listener.changed(nowMillis(), String.valueOf(e.getMessage()));
            }
        }
    }

    private OrderDesk.@Nullable Waiting waiting(OrderDesk desk) {
        try {
            return takesOrders ? desk.next() : null;
        } catch (UncheckedIOException e) {
            takesOrders = false;
            listener.changed(nowMillis(), "takes no more orders: " + e.getMessage());
            return null;
        }
    }

    /** Why it cannot be done in this run; null if it can. */
    private @Nullable String objection(Order order) {
        if (!(order instanceof Order.Set set)) {
            return null;
        }
        try {
            ClientProperties.check(set);
            point.check(set);
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
        return set.values().containsKey(Order.CONSUMERS)
                ? group.objection(settings.with(set).consumers())
                : null;
    }

    private void apply(Order order) throws InterruptedException {
        double atMillis = nowMillis();
        double begunMillis = atMillis;
        String begunBy = text(order);
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
        }
        settings = settings.withConsumers(group.consumers());
        timeline.add(new TimelineEntry(atMillis, order, nowMillis() - atMillis, did));
        begins.add(new Begin(begunMillis, begunBy, settings));
        listener.changed(atMillis, text(order) + ": " + String.join(", ", did.values()));
    }

    static String text(Order order) {
        return order.fields().entrySet().stream()
                .map(each -> each.getKey() + " "
                        + (each.getValue() instanceof Map<?, ?> map
                                ? String.join(
                                        " ",
                                        map.entrySet().stream()
                                                .map(one -> one.getKey() + "=" + one.getValue())
                                                .toList())
                                : each.getValue()))
                .findFirst()
                .orElseThrow();
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
        boolean isWhole = catchesUp();
        if (isWhole) {
            figures.caughtUp();
        }
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

    /** Waits until the group has committed all of what is sent no more of; false if it gets no further. */
    private boolean catchesUp() throws InterruptedException {
        long least = Long.MAX_VALUE;
        long leastNanos = System.nanoTime();
        for (long left = group.lag(); left > 0; left = group.lag()) {
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
