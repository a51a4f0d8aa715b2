package dev.weir.bench.measurement;

import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Feature;
import dev.weir.driver.GroupType;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.Pass;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import dev.weir.driver.ShareOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a run that can be changed: members of one group, as many as are wanted, and a generator. Confined to one
 * thread, which owns the processes and closes them.
 *
 * <p>A process of a share group holds several consumers, or as many workers in their place; any other holds one.
 */
final class LiveGroup implements AutoCloseable {
    /** As many as a ledger can tell apart. */
    static final long MOST_RECORDS = 100_000_000;

    private static final int MOST_PROCESSES = 32;

    /** No run is that long. */
    private static final double SECONDS = TimeUnit.DAYS.toSeconds(10);

    private final DriverLauncher launcher;
    private final String driver;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final Path log;
    private final List<DriverProcess> processes = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final DriverSession generator;
    private final TrialMembers members;
    private final int fixedConsumers; // of a process; 0 where it goes by the workers

    private String topic = "";
    private String group = "";
    private boolean isShared;
    private boolean hasConsumers;

    /** A process and how many consumers it holds. */
    private static final class Part {
        private final DriverProcess process;
        private final DriverSession session;
        private final TrialMembers.Member member;
        private int consumers;

        Part(DriverProcess process, DriverSession session, TrialMembers.Member member, int consumers) {
            this.process = process;
            this.session = session;
            this.member = member;
            this.consumers = consumers;
        }
    }

    LiveGroup(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            Path log,
            TrialMembers.Listener listener) {
        this.launcher = launcher;
        this.driver = driver;
        this.cluster = cluster;
        this.point = point;
        this.log = log;
        this.generator = session(launch(SteadyMeasurement.GENERATOR));
        this.members = new TrialMembers(List.of(), generator, launcher::isStopped, cluster::requireBrokers, listener);
        this.fixedConsumers = ShareOptions.number(point.options(), ShareOptions.CONSUMERS);
    }

    private DriverProcess launch(String name) {
        DriverProcess process = launcher.start(name, point.heapMegabytes(), log);
        processes.add(process);
        return process;
    }

    private DriverSession session(DriverProcess process) {
        return new DriverSession(process, cluster, point);
    }

    TrialMembers members() {
        return members;
    }

    /** How many consumers there are, or workers in their place. */
    int consumers() {
        return parts.stream().mapToInt(part -> part.consumers).sum();
    }

    /** Starts the members that the point asks for, with a new group; returns when they have joined. */
    void join(String newTopic, LiveSettings settings) throws InterruptedException {
        topic = newTopic;
        generator.hello(Scenario.PRODUCE);
        int workers = ShareOptions.number(point.options(), Pass.CONCURRENCY);
        for (int i = 0; i < point.members(); i++) {
            Part part = launched(0);
            part.consumers = isShared ? workers : 1;
        }
        group = parts.getFirst().session.newGroup();
        parts.forEach(part -> start(part, settings));
        members.awaitFirst();
        members.awaitSettled(this::isSettled);
    }

    private Part launched(int consumers) throws InterruptedException {
        DriverProcess process = launch(driver);
        DriverSession session = session(process);
        Report.Hello hello = session.hello();
        isShared = hello.groupType() == GroupType.SHARE;
        hasConsumers = hello.features().contains(Feature.SHARE_CONSUMERS);
        Part part = new Part(process, session, members.add(session), consumers);
        parts.add(part);
        return part;
    }

    private void start(Part part, LiveSettings settings) {
        Map<String, String> options = new TreeMap<>(part.session.options());
        options.put(SendPlan.RATE, Double.toString(settings.producerRate())); // Its records have planned times.
        options.put(HandlerWork.MILLIS, Double.toString(settings.workMillis()));
        options.put(Pass.REPEATS, "true");
        options.put(Pass.TELLS, "true");
        if (isShared) {
            options.put(Pass.CONCURRENCY, Integer.toString(part.consumers));
        }
        Map<String, String> client = new TreeMap<>(point.client());
        client.putAll(settings.client());
        part.session.configure(topic, MOST_RECORDS, point.scenario(), client, options);
        part.member.start(group, SECONDS);
    }

    private boolean isSettled() throws InterruptedException {
        int expected = parts.stream()
                .mapToInt(part -> !hasConsumers ? 1 : fixedConsumers > 0 ? fixedConsumers : part.consumers)
                .sum();
        return cluster.isSettled(group, expected, point.partitions());
    }

    /** The generator connects, and begins to send soon; returns when. */
    long beginPlan(long seed, double rate) throws InterruptedException {
        generator.configure(topic, MOST_RECORDS - 1, Scenario.PRODUCE, Map.of(), GeneratorPlan.held(point, seed));
        members.startGenerator(SECONDS);
        return GeneratorPlan.begin(generator, rate);
    }

    /** Another rate from now on. */
    void send(double rate) {
        GeneratorPlan.change(generator, System.nanoTime(), rate);
    }

    /** Handlers that begin from now on take so long. */
    void work(double millis) {
        parts.forEach(part -> part.session.change(Map.of(HandlerWork.MILLIS, Double.toString(millis))));
    }

    /** Why there cannot be so many consumers; null if there can. */
    @Nullable
    String objection(int consumers) {
        if (isShared && fixedConsumers > 0) {
            return "consumers cannot be changed where options." + ShareOptions.CONSUMERS
                    + " says how many each process has";
        }
        int more = isShared ? (consumers > consumers() ? 1 : 0) : consumers - parts.size();
        return more > 0 && parts.size() + more > MOST_PROCESSES
                ? "consumers=" + consumers + " takes more than " + MOST_PROCESSES + " processes: "
                        + (isShared ? "take some away first, which ends the last ones" : "each of them is one")
                : null;
    }

    /** Has so many consumers; returns what was done, for people. Those that stay are not restarted, but for a part of a process. */
    String resize(LiveSettings settings) throws InterruptedException {
        int before = consumers();
        int missing = settings.consumers() - before;
        if (missing > 0) {
            List<Part> more = new ArrayList<>();
            int each = isShared ? missing : 1;
            for (int added = 0; added < missing; added += each) {
                more.add(launched(each));
            }
            more.forEach(part -> start(part, settings));
        }
        for (int surplus = -missing; surplus > 0; ) {
            Part last = parts.getLast();
            members.leave(List.of(last.member));
            int gone = Math.min(surplus, last.consumers);
            last.consumers -= gone;
            surplus -= gone;
            if (last.consumers > 0) {
                start(last, settings);
            } else {
                end(last);
            }
        }
        return before + " to " + consumers() + settled();
    }

    private void end(Part part) {
        parts.remove(part);
        members.remove(part.member);
        processes.remove(part.process);
        part.process.close();
    }

    /** Whole processes with so many consumers or more leave and join again, with these settings; returns what was done. */
    String restart(int wanted, LiveSettings settings) throws InterruptedException {
        List<Part> some = new ArrayList<>();
        int count = 0;
        for (Part part : parts) {
            if (count >= wanted) {
                break;
            }
            some.add(part);
            count += part.consumers;
        }
        members.leave(some.stream().map(part -> part.member).toList());
        some.forEach(part -> start(part, settings));
        return count + " of " + consumers() + " in " + some.size() + (some.size() == 1 ? " process" : " processes")
                + settled();
    }

    private String settled() throws InterruptedException {
        return members.settles(this::isSettled) ? "" : ", and not all have joined after a minute";
    }

    /** How many records are there that the group has not committed. */
    long lag() {
        return cluster.lag(group, topic);
    }

    /** How many records each partition has. */
    long[] ends() {
        return cluster.ends(topic);
    }

    /** All leave; returns when they have told what they delivered. */
    void leave() throws InterruptedException {
        members.leave(parts.stream().map(part -> part.member).toList());
    }

    @Override
    public void close() {
        processes.forEach(DriverProcess::close);
    }
}
