package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.BackgroundFigures;
import dev.weir.bench.figures.Disturbances;
import dev.weir.bench.figures.GroupPulse;
import dev.weir.bench.figures.LiveSettings;
import dev.weir.bench.figures.Measured;
import dev.weir.bench.figures.OptionalCounts;
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
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * One run of consumer groups at a planned rate. Commands of its timeline and of the {@link OrderDesk} change the run.
 * Confined to one thread; used once.
 */
public final class LiveMeasurement implements Orders.Target {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time without progress after which a backlog counts as stuck. */
    public static final long DRAIN_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final List<TimelineEntry> planned;
    private final LiveListener listener;
    private final LiveGroups groups;
    private final LiveBooks books;
    private final List<RunNumbers> numbers; // by group
    private final BackgroundFigures background;
    private final List<GroupPulse> pulses; // by group
    private final LiveFaults faults;
    private final Disturbances disturbances;
    private final List<Begin> begins = new ArrayList<>();
    private final PhaseSurroundings surroundings;
    private final int cores; // cores of this machine, if all processes run here
    private final Map<String, Double> ofSender = new TreeMap<>(); // figures of the generator's placement and clock
    private final Map<String, List<Double>> told = new TreeMap<>(); // figures of the members' clients, by name

    private LiveSettings settings;
    private double endMillis;
    private boolean isTold; // whether the listener receives figures every second
    private long nextSecondNanos; // time at which the listener receives the figures of the next second
    private long brokerNanos;

    /**
     * The start of a phase: the command that began it, and the settings from then on.
     *
     * @param isOther whether the command changed anything; if not, the previous phase's result includes this phase
     */
    private record Begin(double atMillis, String by, LiveSettings settings, boolean isOther) {}

    /**
     * Creates a run and starts the generator's process.
     *
     * @param timeline the commands with planned times
     * @param log the file that receives the output of the run's processes
     * @param numbersFile a new file in which the processes note the records they receive
     */
    public LiveMeasurement(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            List<TimelineEntry> timeline,
            Path log,
            Path numbersFile,
            LiveListener listener) {
        this.cores = launcher.isHere() ? Runtime.getRuntime().availableProcessors() : LiveResult.MANY_MACHINES;
        this.cluster = cluster;
        this.point = point;
        this.planned = List.copyOf(timeline);
        this.listener = listener;
        this.books = new LiveBooks(point);
        this.numbers = IntStream.range(0, point.groups())
                .mapToObj(group -> RunNumbers.of(
                        launcher,
                        group == 0 ? numbersFile : numbersFile.resolveSibling("numbers-" + (group + 1)),
                        point))
                .toList();
        this.background = new BackgroundFigures(cluster, point.takesSeries());
        this.surroundings = new PhaseSurroundings(cluster);
        this.settings = new LiveSettings(point.recordsPerSecond(), workMillis(point), 0, Map.of());
        this.disturbances = new Disturbances(ExploreSettings.target(point));
        this.groups = new LiveGroups(launcher, driver, cluster, point, log, numbers, Ears::new);
        this.pulses =
                numbers.stream().map(ofGroup -> new GroupPulse(ofGroup::look)).toList();
        this.faults = new LiveFaults(groups, numbers.getFirst(), cluster);
    }

    private static double workMillis(WorkloadPoint point) {
        return Double.parseDouble(point.options().getOrDefault(HandlerWork.MILLIS, "0"));
    }

    /**
     * Receives the reports of a group's processes. The first group's instance also receives the reports of the
     * generator and of the reader.
     */
    private final class Ears implements TrialMembers.Listener {
        private final int group;

        Ears(int group) {
            this.group = group;
        }

        @Override
        public void ofMember(
                int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            if (point.copiesByPlan()) {
                books.all().ofCopier(member, startNanos, endNanos, interval);
                return;
            }
            books.ofMember(group, member, startNanos, endNanos, interval, timings);
            numbers.get(group).told(interval.records());
        }

        @Override
        public void ofReader(long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            books.all().ofReader(startNanos, endNanos, interval, timings);
            numbers.get(group).told(interval.records());
        }

        @Override
        public void ofGenerator(long startNanos, long endNanos, Report.Interval interval, List<Histogram> late) {
            List<GroupPulse.Look> looks =
                    pulses.stream().map(pulse -> pulse.at(endNanos)).toList();
            books.ofGenerator(startNanos, endNanos, interval, late, looks);
        }

        @Override
        public void delivered(Report.Delivered told) {
            numbers.get(group).add(told);
        }

        @Override
        public void passed(Report.Passed passed) {
            numbers.get(group).add(passed.ledger());
            tell(passed.client());
        }

        @Override
        public void sent(Report.Passed passed) {
            DriverSession.putSender(passed, ofSender);
        }

        @Override
        public void tick() throws InterruptedException {
            groups.requireNetworks();
            numbers.forEach(RunNumbers::take);
            long now = System.nanoTime();
            if (isTold && now - nextSecondNanos >= 0) {
                nextSecondNanos = now + SECOND_NANOS;
                sampleBrokers(now);
                background.sample();
                surroundings.sample();
                books.all().ofAround(now, background.series(now));
                double millis = books.all().millisSince(now);
                listener.second(
                        books.all().latest(millis, settings), books.all().latestSeries(millis));
            }
        }
    }

    private void sampleBrokers(long now) {
        long before = brokerNanos;
        brokerNanos = cluster.cpuNanos();
        books.all().ofBrokers(now, OptionalCounts.minus(brokerNanos, before));
    }

    /**
     * Executes the run.
     *
     * @param topic a topic with one record in each partition
     * @param seed the seed for the random arrival times
     * @param desk receives commands during the run
     */
    public Measured run(String topic, long seed, OrderDesk desk) throws InterruptedException {
        Orders orders = new Orders(desk, planned, this::nowMillis, (what, at) -> listener.changed(at, what));
        try (LiveGroups processes = groups) {
            processes.join(topic, settings);
            pulses.forEach(GroupPulse::start);
            settings = settings.withConsumers(processes.consumers());
            int consumersBefore = processes.consumers();
            processes.assignments().forEach(this::tell);
            long startNanos = processes.beginPlan(seed, settings.producerRate());
            double warmUpMillis = 1e3 * point.seconds("maxWarmUpSeconds");
            books.begin(startNanos, warmUpMillis);
            beginPhase(0, "start", settings, true);
            endMillis = warmUpMillis + 1e3 * point.seconds("measureSeconds");
            brokerNanos = cluster.cpuNanos();
            background.begin();
            background.beginPass();
            nextSecondNanos = startNanos + 2 * SECOND_NANOS;
            isTold = true;
            processes.members().hearUntil(startNanos); // The plan has begun, so commands may be executed.
            while (nowMillis() < endMillis) {
                orders.take(this);
                requireSending();
                long left = (long) (1e6 * (endMillis - nowMillis()));
                processes.members().hearUntil(System.nanoTime() + Math.clamp(left, 0, LOOK_NANOS));
            }
            isTold = false;
            sampleBrokers(System.nanoTime());
            orders.end();
            background.endPass();
            surroundings.end();
            // Wait for the last intervals, which processes report with a short delay.
            processes
                    .members()
                    .hearUntil(System.nanoTime() + 2 * TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()));
            books.end();
            Map<String, Double> around = background.figures();
            processes.members().endGenerator(); // The partitions now contain all records of the run.
            processes.work(0);
            boolean isWhole = catchesUp(processes::lag);
            var unused = catchesUp(processes::unread); // ignored, because missing records are counted anyway
            processes.leave();
            tell(ofSender);
            tell(books.figuresOfGroups(endMillis));
            long[] ends = processes.ends();
            LiveResult result =
                    new LiveResult(point, books.all(), books.byGroup(), told, around, cores, processes.handlers());
            double perConsumer = (double) processes.handlers() / Math.max(1, consumersBefore);
            return result.measured(
                    endMillis,
                    processes.figures(ends),
                    isWhole,
                    orders.timeline(),
                    phases(result, perConsumer),
                    disturbances.costs(
                            books.of(0), endMillis, numbers.getFirst().missing(ends)));
        } finally {
            pulses.forEach(GroupPulse::close);
        }
    }

    private void tell(Map<String, Double> figures) {
        figures.forEach((name, figure) ->
                told.computeIfAbsent(name, n -> new ArrayList<>()).add(figure));
    }

    private void requireSending() {
        if (!groups.members().isSending()) {
            throw RunNumbers.sentAll();
        }
    }

    private double nowMillis() {
        return books.all().millisSince(System.nanoTime());
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
            case Order.Set set -> objectionOfGroups(set);
            case Fault fault -> faults.objection(fault, settings);
            default -> null;
        };
    }

    private @Nullable String objectionOfGroups(Order.Set set) {
        String size = set.values().containsKey(Order.CONSUMERS)
                ? groups.objection(settings.with(set).consumers())
                : null;
        return size != null ? size : groups.objection(set.group());
    }

    @Override
    public Map<String, String> apply(Order order) throws InterruptedException {
        double atMillis = nowMillis();
        double begunMillis = atMillis;
        String begunBy = order.text();
        Map<String, String> did = new LinkedHashMap<>();
        if (!(order instanceof Order.Extend)) {
            books.beginPart(atMillis); // Reports that arrive during the execution belong to the command's phase.
        }
        switch (order) {
            case Order.Set set -> set(set, did);
            case Order.RestartConsumers restart -> did.put("restart-consumers", groups.restart(restart, settings));
            case Order.Pause pause -> {
                groups.members().pause(pause.millis() / 1e3);
                did.put("pause", "all members were paused for " + (long) pause.millis() + " ms");
            }
            case Order.Drain drain -> {
                beginPhase(atMillis, begunBy, settings.drained(), true);
                did.put("drain", drain());
                begunMillis = nowMillis();
                begunBy = "drained";
            }
            case Order.DiscardStats discard -> {
                books.discard(atMillis);
                did.put("discard-stats", "measuring begins here");
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
        settings = settings.withConsumers(groups.consumers());
        beginPhase(begunMillis, begunBy, settings, !(order instanceof Order.Extend));
        return did;
    }

    private void set(Order.Set set, Map<String, String> did) throws InterruptedException {
        LiveSettings wanted = settings.with(set);
        if (wanted.producerRate() != settings.producerRate()) {
            groups.sender().send(wanted.producerRate());
        }
        if (wanted.workMillis() != settings.workMillis()) {
            groups.work(wanted.workMillis());
        }
        boolean isOther = !wanted.client().equals(settings.client());
        settings = wanted;
        groups.set(set.group());
        did.putAll(new TreeMap<>(set.values()));
        if (set.values().containsKey(Order.CONSUMERS)) {
            did.put(Order.CONSUMERS, groups.resize(wanted));
        }
        if (isOther) {
            did.put("restarted", groups.restart(wanted));
        }
    }

    /**
     * Pauses the generator and makes handlers return at once until the group has committed everything. Returns a
     * description.
     */
    private String drain() throws InterruptedException {
        LiveSettings loaded = settings;
        settings = loaded.drained();
        groups.sender().send(settings.producerRate());
        groups.work(settings.workMillis());
        awaitSent();
        boolean isWhole = catchesUp(groups::lag);
        settings = loaded;
        groups.work(settings.workMillis());
        groups.sender().send(settings.producerRate());
        return isWhole ? "nothing is left" : groups.lag() + " records are left, and no fewer for a minute";
    }

    /** Waits until all due records are in their partitions. */
    private void awaitSent() throws InterruptedException {
        books.all().sendsNoMore();
        groups.members().hearUntil(System.nanoTime() + 2 * TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()));
        while (books.all().isSending() && groups.members().isSending()) {
            groups.members().hearUntil(System.nanoTime() + LOOK_NANOS);
        }
    }

    /** Waits until the count, for example of uncommitted records, is zero. Returns false if it stops decreasing. */
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
            groups.members().hearUntil(now + 5 * LOOK_NANOS);
        }
        return true;
    }

    private void beginPhase(double atMillis, String by, LiveSettings from, boolean isOther) {
        begins.add(new Begin(atMillis, by, from, isOther));
        if (isOther) {
            books.beginPart(atMillis);
        }
        surroundings.next(isOther);
    }

    /** Returns the phases between consecutive changes. Call this after all processes have reported. */
    private List<Phase> phases(LiveResult result, double handlersOfConsumer) {
        List<Phase> phases = new ArrayList<>();
        int whole = books.all().whole(endMillis);
        for (int i = 0; i < begins.size(); i++) {
            Begin begin = begins.get(i);
            Phase phase = books.all().phase(begin.atMillis(), endOf(i), begin.by(), begin.settings());
            int last = i;
            while (last + 1 < begins.size() && !begins.get(last + 1).isOther()) {
                last++;
            }
            int from = Math.max(
                    books.all().nearest(begin.atMillis()), books.all().whole(1e3 * point.seconds("maxWarmUpSeconds")));
            int to = Math.min(whole, books.all().nearest(endOf(last)));
            phases.add(
                    begin.isOther()
                            ? phase.with(result.ofPhase(
                                    from,
                                    to,
                                    begin.settings(),
                                    handlersOfConsumer * begin.settings().consumers(),
                                    surroundings.of(i)))
                            : phase);
        }
        return phases;
    }

    private double endOf(int phase) {
        Begin begin = begins.get(phase);
        return phase + 1 < begins.size() ? begins.get(phase + 1).atMillis() : Math.max(begin.atMillis(), endMillis);
    }
}
