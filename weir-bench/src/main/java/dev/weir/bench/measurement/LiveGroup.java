package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.Assignment;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.figures.LiveSettings;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.process.NetworkProcess;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Feature;
import dev.weir.driver.GroupType;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import dev.weir.driver.ShareOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a group in a changeable run: any number of members and, if they copy, a reader of their output.
 * Confined to one thread, which owns the processes and closes them.
 *
 * <p>A process of a share group holds several consumers, or as many workers in their place; any other holds one.
 */
public final class LiveGroup implements AutoCloseable {
    public static final int MOST_PROCESSES = 32;

    /** Longer than any run. */
    public static final double SECONDS = TimeUnit.DAYS.toSeconds(10);

    private final DriverLauncher launcher;
    private final String driver;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final Path log;
    private final RunNumbers numbers;
    private final List<DriverProcess> processes = new ArrayList<>();
    private final List<LivePart> parts = new ArrayList<>();
    private final TrialMembers members; // of all groups of the run
    private final TrialMembers.Listener listener; // listener of this group's members
    private final int fixedConsumers; // per process; 0 if given by the workers

    private String topic = "";
    private String output = ""; // output topic of copying members
    private String group = "";
    private boolean isShared;
    private boolean hasConsumers;

    /**
     * Group of members that are started by {@link #join}.
     *
     * @param numbers takes what comes to them
     */
    LiveGroup(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            Path log,
            RunNumbers numbers,
            TrialMembers members,
            TrialMembers.Listener listener) {
        this.launcher = launcher;
        this.driver = driver;
        this.cluster = cluster;
        this.point = point;
        this.log = log;
        this.numbers = numbers;
        this.members = members;
        this.listener = listener;
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

    /** The reason why the brokers would refuse these settings; null if they accept them. */
    @Nullable
    String objection(Map<String, String> config) {
        return cluster.groups().objection(group, config);
    }

    /** Sets this for the group. */
    void set(Map<String, String> config) {
        cluster.groups().set(group, config);
    }

    /** The current number of consumers, or of workers in their place. */
    public int consumers() {
        return parts.stream().mapToInt(part -> part.consumers).sum();
    }

    /** Starts the point's members with a new group; returns when they have joined. */
    void join(String newTopic, LiveSettings settings) throws InterruptedException {
        topic = newTopic;
        LivePart first = launched(0); // Its greeting tells the kind of group.
        GroupSize size = new GroupSize(point, isShared);
        if (point.consumers() > 0 && size.processes() > MOST_PROCESSES) {
            throw new RunFailure("consumers=" + point.consumers() + " takes more than " + MOST_PROCESSES
                    + " processes, since each consumer of this driver is one: set at most so many");
        }
        first.consumers = size.consumers(0);
        for (int i = 1; i < size.processes(); i++) {
            launched(size.consumers(i));
        }
        if (point.copiesByPlan()) {
            read();
        }
        group = parts.getFirst().session.newGroupBeside();
        parts.forEach(part -> start(part, settings));
        members.awaitFirst();
        members.awaitSettled(this::isSettled);
        members.awaitReader();
    }

    /** Starts the reader of the members' output, which sees only committed records if exactly once is requested. */
    private void read() throws InterruptedException {
        output = cluster.topics().output(point);
        DriverSession reader = session(launch(DriverLauncher.READER));
        reader.hello(Scenario.STEADY);
        Map<String, String> options = new TreeMap<>(numbers.options());
        options.put(SendPlan.RATE, "0"); // Its records have planned times.
        options.put(PassOptions.REPEATS, "true");
        reader.configure(
                output,
                RunNumbers.MOST_RECORDS,
                Scenario.STEADY,
                Map.of("isolation.level", point.isExactlyOnce() ? "read_committed" : "read_uncommitted"),
                options);
        members.startReader(reader, SECONDS);
    }

    private LivePart launched(int consumers) throws InterruptedException {
        DriverProcess process = launch(driver);
        DriverSession session = session(process);
        Report.Hello hello = session.hello();
        isShared = hello.groupType() == GroupType.SHARE;
        hasConsumers = hello.features().contains(Feature.SHARE_CONSUMERS);
        MemberNetwork network = point.usesProxy() ? network(process) : null;
        if (network != null) {
            session.through(network.bootstrapServers());
        }
        LivePart part = new LivePart(process, session, members.add(session, listener), network, consumers);
        parts.add(part);
        return part;
    }

    private MemberNetwork network(DriverProcess member) throws InterruptedException {
        return launcher.isHere()
                ? MemberNetwork.here(cluster.bootstrapServers())
                : MemberNetwork.there(NetworkProcess.beside(member, launcher, cluster, point, log));
    }

    /** The ledger at the end. */
    public LedgerFigures figures(long[] ends) {
        return point.copiesByPlan() ? cluster.written().copied(point, topic, ends, group) : numbers.ofGroup(ends);
    }

    private void start(LivePart part, LiveSettings settings) {
        Map<String, String> options = new TreeMap<>(part.session.options());
        options.put(SendPlan.RATE, Double.toString(settings.producerRate())); // Its records have planned times.
        options.put(HandlerWork.MILLIS, Double.toString(settings.workMillis()));
        options.put(PassOptions.REPEATS, "true");
        options.put(PassOptions.OUTPUT, output);
        if (!point.copiesByPlan()) { // Otherwise its output shows it.
            part.noted = launcher.isHere() ? "" : part.process.newFileThere();
            options.putAll(numbers.options(part.noted));
        }
        if (isShared) {
            options.put(PassOptions.CONCURRENCY, Integer.toString(part.consumers));
        }
        Map<String, String> client = new TreeMap<>(point.client());
        client.putAll(settings.client());
        part.session.configure(topic, RunNumbers.MOST_RECORDS, point.scenario(), client, options);
        part.member.start(group, SECONDS);
    }

    private boolean isSettled() throws InterruptedException {
        int expected = parts.stream()
                .mapToInt(part -> !hasConsumers ? 1 : fixedConsumers > 0 ? fixedConsumers : part.consumers)
                .sum();
        return cluster.groups().isSettled(group, expected, point.partitions());
    }

    /** Sets the blocking time of handlers that begin from now on. */
    void work(double millis) {
        parts.forEach(part -> part.session.change(Map.of(HandlerWork.MILLIS, Double.toString(millis))));
    }

    /** The reason why that number of consumers is impossible; null if it is possible. */
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

    /**
     * Changes the number of consumers and returns a description. Remaining processes are not restarted, except one
     * whose number of consumers changes.
     */
    String resize(LiveSettings settings) throws InterruptedException {
        int before = consumers();
        int missing = settings.consumers() - before;
        if (missing > 0) {
            List<LivePart> more = new ArrayList<>();
            int each = isShared ? missing : 1;
            for (int added = 0; added < missing; added += each) {
                more.add(launched(each));
            }
            more.forEach(part -> start(part, settings));
        }
        for (int surplus = -missing; surplus > 0; ) {
            LivePart last = parts.getLast();
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

    /** Throws the failure of a member's network, if there is one. */
    void requireNetworks() throws InterruptedException {
        for (LivePart part : parts) {
            MemberNetwork network = part.network;
            if (network != null) {
                network.requireUp();
            }
        }
    }

    /** Kills a process with SIGKILL. */
    void end(LivePart part) {
        parts.remove(part);
        members.remove(part.member);
        processes.remove(part.process);
        part.process.close();
        close(part.network);
    }

    /** The number of consumers in an additional process. */
    private int ofProcess() {
        return new GroupSize(point, isShared).ofProcess();
    }

    /** The number of handlers that may block at a time, as it began. */
    public int handlers() {
        return new GroupSize(point, isShared).handlers();
    }

    /** The assignment of partitions, as figures of the run; empty if brokers do not report it. */
    Map<String, Double> assignment() throws InterruptedException {
        Assignment seen = cluster.groups().assignment(group);
        return seen == null ? Map.of() : seen.figures();
    }

    /** The number of processes there are. */
    public int processes() {
        return parts.size();
    }

    /** Returns whether that many more can join. */
    boolean hasRoom(int more) {
        return parts.size() + more <= MOST_PROCESSES;
    }

    /** Starts processes and returns their names once they have joined. */
    String grow(int count, LiveSettings settings) throws InterruptedException {
        List<LivePart> more = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            more.add(launched(ofProcess()));
        }
        more.forEach(part -> start(part, settings));
        return LivePart.names(more) + settled();
    }

    /** Makes the last processes leave; returns their names once the partitions are reassigned. */
    String shrink(int count) throws InterruptedException {
        List<LivePart> some = last(count);
        members.leave(some.stream().map(part -> part.member).toList());
        some.forEach(this::end);
        return LivePart.names(some) + settled();
    }

    /** Its first processes. */
    public List<LivePart> first(int count) {
        return List.copyOf(parts.subList(0, count));
    }

    /** Its last ones. */
    List<LivePart> last(int count) {
        return List.copyOf(parts.subList(parts.size() - count, parts.size()));
    }

    /** Restarts whole processes with at least that many consumers, with these settings; returns a description. */
    String restart(int wanted, LiveSettings settings) throws InterruptedException {
        List<LivePart> some = WholeParts.holding(parts, part -> part.consumers, wanted);
        int count = some.stream().mapToInt(part -> part.consumers).sum();
        members.leave(some.stream().map(part -> part.member).toList());
        some.forEach(part -> start(part, settings));
        return count + " of " + consumers() + " in " + some.size() + (some.size() == 1 ? " process" : " processes")
                + settled();
    }

    private String settled() throws InterruptedException {
        return members.settles(this::isSettled) ? "" : ", and not all have joined after a minute";
    }

    /** Number of existing records that the group has not committed. */
    long lag() {
        return cluster.groups().lag(group, topic);
    }

    /** The number of records to copy that the reader has not seen in the output yet; 0 if the group does not copy. */
    long unread() {
        return point.copiesByPlan() ? Arrays.stream(ends()).sum() - numbers.came() : 0;
    }

    /** The number of records each partition has. */
    long[] ends() {
        return cluster.topics().ends(topic);
    }

    /** Makes all members leave; returns when they have reported their deliveries. */
    void leave() throws InterruptedException {
        members.leave(parts.stream().map(part -> part.member).toList());
    }

    @Override
    public void close() {
        processes.forEach(DriverProcess::close);
        parts.forEach(part -> close(part.network));
    }

    private static void close(@Nullable MemberNetwork network) {
        if (network != null) {
            network.close();
        }
    }
}
