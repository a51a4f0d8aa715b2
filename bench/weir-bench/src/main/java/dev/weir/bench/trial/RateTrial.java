package dev.weir.bench.trial;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Outcome;
import dev.weir.bench.figures.BackgroundFigures;
import dev.weir.bench.figures.OptionalCounts;
import dev.weir.bench.figures.SeriesBook;
import dev.weir.bench.measurement.GeneratorFailure;
import dev.weir.bench.measurement.GeneratorPlan;
import dev.weir.bench.measurement.GroupSize;
import dev.weir.bench.measurement.LiveGroup;
import dev.weir.bench.measurement.Measurement;
import dev.weir.bench.measurement.SteadyMeasurement;
import dev.weir.bench.measurement.TrialMembers;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.ExploreSettings;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.GroupType;
import dev.weir.driver.PartitionSpread;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Runs trials of one driver at one point. A generator sends planned records to the members of a new group. The latency
 * from the planned send time decides the outcome. Confined to one thread.
 *
 * <p>The processes run trial after trial until {@link #close}, so that their code is compiled. New processes are
 * started for each cold start, and after a trial that a process did not finish.
 */
public final class RateTrial implements Trials {
    /** Seconds added to the length of the send plan, for members that leave and join, and for late reports. */
    private static final double SPARE_SECONDS = 200;

    /**
     * Fraction of the rate that is sent in the first half of the warm-up. During this time the processes are still
     * compiling their code and fall behind.
     */
    private static final double WARMING_SHARE = 0.5;

    /** Fraction of the warm-up that processes need if they have run a trial before. */
    private static final double REPEATED_SHARE = 1.0 / 3;

    private final DriverLauncher launcher;
    private final String driver;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final ExploreSettings settings;
    private final Path log;
    private final List<DriverProcess> processes = new ArrayList<>();
    private @Nullable Sessions warm; // sessions of the processes that have run a trial

    /** The sessions with the processes of a trial. */
    private record Sessions(List<DriverSession> members, DriverSession generator, GroupSize size) {}

    /**
     * Creates the trials of one driver.
     *
     * @param log the file that receives the output of the processes
     */
    public RateTrial(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            ExploreSettings settings,
            Path log) {
        this.launcher = launcher;
        this.driver = driver;
        this.cluster = cluster;
        this.point = point;
        this.settings = settings;
        this.log = log;
    }

    @Override
    public TrialResult run(Attempt attempt, long seed) throws InterruptedException {
        Sessions kept = attempt.kind() == Kind.COLD_START ? null : warm;
        warm = null;
        try {
            if (kept == null) {
                close();
            }
            Sessions sessions = kept == null ? started() : kept;
            double warmUpSeconds = settings.warmUpSeconds() * (kept == null ? 1 : REPEATED_SHARE);
            Running running = new Running(attempt, seed, sessions, warmUpSeconds);
            TrialResult result = running.result();
            warm = running.isOver ? sessions : null;
            return result;
        } finally {
            if (warm == null) {
                close();
            }
        }
    }

    @Override
    public void close() {
        warm = null;
        processes.forEach(DriverProcess::close);
        processes.clear();
    }

    private Sessions started() throws InterruptedException {
        List<DriverSession> members = new ArrayList<>();
        DriverSession first = session(driver);
        members.add(first);
        first.hello();
        GroupSize size = new GroupSize(point, first.groupType() == GroupType.SHARE);
        if (point.consumers() > 0 && size.processes() > LiveGroup.MOST_PROCESSES) {
            throw new RunFailure("consumers=" + point.consumers() + " needs more than " + LiveGroup.MOST_PROCESSES
                    + " processes, since each consumer of this driver is one: set at most "
                    + LiveGroup.MOST_PROCESSES);
        }
        for (int member = 1; member < size.processes(); member++) {
            members.add(session(driver));
        }
        DriverSession generator = GeneratorFailure.tellingApart(() -> session(SteadyMeasurement.GENERATOR));
        for (DriverSession member : members.subList(1, members.size())) {
            member.hello();
        }
        GeneratorFailure.tellingApart(() -> generator.hello(Scenario.PRODUCE));
        return new Sessions(members, generator, size);
    }

    private DriverSession session(String name) {
        DriverProcess process = launcher.start(name, point.heapMegabytes(), log);
        processes.add(process);
        return new DriverSession(process, cluster, point);
    }

    private final class Running implements TrialMembers.Listener {
        private final Attempt attempt;
        private final long seed;
        private final List<DriverSession> sessions;
        private final DriverSession generator;
        private final TrialMembers members;
        private final Histogram lateness = new Histogram(3);
        private final BackgroundFigures background = new BackgroundFigures(cluster, point.takesSeries());
        private final double planSeconds;
        private final GroupSize size;
        private final double warmUpSeconds;

        private final Map<String, List<Double>> told = new TreeMap<>(); // figures reported when passes end
        private final Map<String, Double> ofSender = new TreeMap<>();
        private long sent; // records sent during the judged time
        private @Nullable TrialJudgement judgement; // set once the judged time is known
        private boolean isOver; // whether all processes have ended their passes

        Running(Attempt attempt, long seed, Sessions all, double warmUpSeconds) {
            this.size = all.size();
            this.attempt = attempt;
            this.seed = seed;
            this.warmUpSeconds = warmUpSeconds;
            this.sessions = all.members();
            this.generator = all.generator();
            this.members = new TrialMembers(sessions, generator, launcher::isStopped, cluster::requireBrokers, this);
            this.planSeconds =
                    warmUpSeconds + settings.pauseSeconds() + TrialJudgement.seconds(attempt, settings) + SPARE_SECONDS;
        }

        @Override
        public void ofMember(
                int member, long startNanos, long endNanos, Report.Interval interval, List<Histogram> timings) {
            if (judgement != null) {
                judgement.add(member, startNanos, endNanos, interval, timings.subList(0, point.partitions()));
            }
        }

        @Override
        public void ofGenerator(long startNanos, long endNanos, Report.Interval interval, List<Histogram> late) {
            if (judgement != null && judgement.contains(startNanos, endNanos)) {
                late.forEach(lateness::add);
                for (Histogram partition : late.subList(0, point.partitions())) {
                    sent += partition.getTotalCount();
                }
            }
        }

        TrialResult result() throws InterruptedException {
            String group = sessions.getFirst().newGroup();
            String topic = cluster.topics().begun(point);
            for (int member = 0; member < sessions.size(); member++) {
                DriverSession session = sessions.get(member);
                configure(session, topic, point.scenario(), point.client(), planned(member, session.options()));
            }
            if (attempt.kind() == Kind.COLD_START) {
                members.hearUntil(beginPlan(topic, attempt.rate()));
                members.start(group, planSeconds);
                awaitComplete(group);
            } else {
                members.start(group, planSeconds);
                awaitComplete(group);
                long planStart = beginPlan(topic, WARMING_SHARE * attempt.rate());
                long full = planStart + nanos(warmUpSeconds / 2);
                GeneratorFailure.tellingApart(() -> {
                    GeneratorPlan.change(generator, full, attempt.rate());
                    return generator;
                });
                members.hearUntil(planStart + nanos(warmUpSeconds));
                disturb(group);
            }
            return judged();
        }

        /** Waits until the group is complete. The recovery time starts then. */
        private void awaitComplete(String group) throws InterruptedException {
            members.awaitFirst();
            int expected = 0;
            for (int member = 0; member < sessions.size(); member++) {
                expected += sessions.get(member).groupMembers(size.consumers(member));
            }
            int all = expected;
            members.awaitSettled(() -> cluster.groups().isSettled(group, all, point.partitions()));
        }

        /** Makes the generator begin its plan after a short delay. Returns the start time. */
        private long beginPlan(String topic, double recordsPerSecond) throws InterruptedException {
            GeneratorFailure.tellingApart(() -> {
                configure(generator, topic, Scenario.PRODUCE, point.producer(), GeneratorPlan.held(point, seed));
                return generator;
            });
            members.startGenerator(planSeconds);
            return GeneratorFailure.tellingApart(() -> GeneratorPlan.begin(generator, recordsPerSecond));
        }

        private Map<String, String> planned(int member, Map<String, String> options) {
            Map<String, String> all = new TreeMap<>(options);
            if (size.isShared()) {
                all.put(PassOptions.CONCURRENCY, Integer.toString(size.consumers(member)));
            }
            all.put(SendPlan.RATE, Double.toString(attempt.rate()));
            all.put(PassOptions.REPEATS, "true");
            return all;
        }

        private void configure(
                DriverSession session,
                String topic,
                Scenario scenario,
                Map<String, String> client,
                Map<String, String> options) {
            // All partitions are configured for as many records as the hottest partition gets.
            double most = PartitionSpread.shares(point.partitions(), point.partitionSkew())[0];
            long records = (long) Math.ceil(planSeconds * attempt.rate() * most);
            // Record 0 of each partition exists already and is read too.
            session.configure(topic, scenario == Scenario.PRODUCE ? records : records + 1, scenario, client, options);
        }

        @Override
        public void passed(Report.Passed passed) {
            passed.client()
                    .forEach((name, figure) ->
                            told.computeIfAbsent(name, n -> new ArrayList<>()).add(figure));
        }

        @Override
        public void sent(Report.Passed passed) {
            DriverSession.putSender(passed, ofSender);
        }

        /** Ends the passes of all processes. Returns the figures that remote processes report at this time. */
        private Map<String, Double> ended() throws InterruptedException {
            try {
                told.clear(); // Remove figures of members that were restarted earlier.
                members.endGenerator();
                members.leaveAll();
                isOver = true;
            } catch (RunFailure | GeneratorFailure e) {
                // The trial has been judged already. A member that has not left ends when its process is closed.
                return Map.of();
            }
            if (launcher.isHere()) {
                return Map.of();
            }
            Map<String, Double> figures = new TreeMap<>(ofSender);
            told.forEach((name, all) -> {
                if (name.startsWith("clock: ") || name.startsWith("host: ")) {
                    figures.put(name, Measurement.ofAll(name, all));
                }
            });
            return figures;
        }

        private void disturb(String group) throws InterruptedException {
            switch (attempt.kind()) {
                case RESTART -> {
                    members.restartHalf(group, planSeconds, point.partitions());
                    awaitComplete(group);
                }
                case PAUSE -> members.pause(settings.pauseSeconds());
                default -> {} // STEP and HOLD have no disturbance. The disturbance of COLD_START is over.
            }
        }

        private TrialResult judged() throws InterruptedException {
            long fromNanos = System.nanoTime();
            TrialJudgement judge = new TrialJudgement(
                    attempt, settings, point, size.handlers(), fromNanos, TrialJudgement.seconds(attempt, settings));
            judgement = judge;
            long brokerNanos = cluster.cpuNanos();
            background.begin();
            background.beginPass();
            long lookNanos = nanos(1);
            List<Map<String, Double>> series = new ArrayList<>();
            boolean isLost = false;
            for (long next = fromNanos + lookNanos; next - judge.toNanos() < 0 && !isLost; next += lookNanos) {
                members.hearUntil(next);
                background.sample();
                series.add(background.series(System.nanoTime()));
                isLost = judge.isLost();
            }
            if (!isLost) {
                members.hearUntil(judge.toNanos());
            }
            background.endPass();
            brokerNanos = OptionalCounts.minus(cluster.cpuNanos(), brokerNanos);
            long endNanos = System.nanoTime();
            if (!isLost) { // Reports of the last intervals arrive slightly later.
                members.hearUntil(endNanos + 2 * TimeUnit.MILLISECONDS.toNanos(point.intervalMillis()));
            }
            Outcome outcome = judge.outcome(isLost, endNanos, sent, lateness);
            Map<String, Double> around = new TreeMap<>(ended());
            background.figures().forEach((name, figure) -> around.put(placed(name), figure));
            SeriesBook.means(series).forEach((name, figure) -> {
                if (name.startsWith("broker: ")) {
                    around.putIfAbsent(name, figure);
                }
            });
            sessions.forEach(session -> session.putClockError(around));
            return judge.result(outcome, endNanos, brokerNanos, around);
        }
    }

    /**
     * Returns the name under which a figure is reported. If members are remote, figures of this machine's load get the
     * suffix "at this machine".
     */
    private String placed(String figure) {
        return launcher.isHere() || !figure.startsWith("host: ") ? figure : figure + " at this machine";
    }

    private static long nanos(double seconds) {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }
}
