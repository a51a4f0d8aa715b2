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
 * The processes of one consumer group in a changeable run: any number of members and, if the members copy records, a
 * reader of their output. Confined to one thread, which owns the processes and closes them.
 *
 * <p>A process of a share group holds several consumers or several workers, and each worker counts as a consumer. A
 * process of any other group holds one consumer.
 */
public final class LiveGroup implements AutoCloseable {
    public static final int MOST_PROCESSES = 32;

    /** Duration of a pass in seconds, chosen to be longer than any run. */
    public static final double SECONDS = TimeUnit.DAYS.toSeconds(10);

    private final DriverLauncher launcher;
    private final String driver;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final Path log;
    private final RunNumbers numbers;
    private final List<DriverProcess> processes = new ArrayList<>();
    private final List<LivePart> parts = new ArrayList<>();
    private final TrialMembers members; // members of all groups of the run
    private final TrialMembers.Listener listener; // listener of this group's members
    private final int fixedConsumers; // consumers per process; 0 if not set by an option

    private String topic = "";
    private String output = ""; // output topic of copying members
    private String group = "";
    private boolean isShared;
    private boolean hasConsumers;

    /**
     * Creates a group without members; {@link #join} starts them.
     *
     * @param numbers tracks the records that the members receive
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

    void set(Map<String, String> config) {
        cluster.groups().set(group, config);
    }

    /** The current number of consumers. In a share group, the workers are counted as consumers. */
    public int consumers() {
        return parts.stream().mapToInt(part -> part.consumers).sum();
    }

    /** Starts the members required by the workload point in a new group. Returns when they have joined. */
    void join(String newTopic, LiveSettings settings) throws InterruptedException {
        topic = newTopic;
        LivePart first = launched(0); // Only a greeting shows whether the group is a share group.
        GroupSize size = new GroupSize(point, isShared);
        if (point.consumers() > 0 && size.processes() > MOST_PROCESSES) {
            throw new RunFailure("consumers=" + point.consumers() + " needs more than " + MOST_PROCESSES
                    + " processes, since each consumer of this driver is one: set at most " + MOST_PROCESSES);
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

    /** Starts the reader of the members' output. It reads only committed records if the point requires exactly once. */
    private void read() throws InterruptedException {
        output = cluster.topics().output(point);
        DriverSession reader = session(launch(DriverLauncher.READER));
        reader.hello(Scenario.STEADY);
        Map<String, String> options = new TreeMap<>(numbers.options());
        options.put(SendPlan.RATE, "0"); // The records carry their planned times, so the reader needs no rate.
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

    /** The group's final ledger. */
    public LedgerFigures figures(long[] ends) {
        return point.copiesByPlan() ? cluster.written().copied(point, topic, ends, group) : numbers.ofGroup(ends);
    }

    private void start(LivePart part, LiveSettings settings) {
        Map<String, String> options = new TreeMap<>(part.session.options());
        options.put(SendPlan.RATE, Double.toString(settings.producerRate())); // records have planned times
        options.put(HandlerWork.MILLIS, Double.toString(settings.workMillis()));
        options.put(PassOptions.REPEATS, "true");
        options.put(PassOptions.OUTPUT, output);
        if (!point.copiesByPlan()) { // In a planned copy, the reader of the output tracks the records.
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

    void work(double millis) {
        parts.forEach(part -> part.session.change(Map.of(HandlerWork.MILLIS, Double.toString(millis))));
    }

    /** The reason why the group cannot have the given number of consumers; null if it can. */
    @Nullable
    String objection(int consumers) {
        if (isShared && fixedConsumers > 0) {
            return "consumers cannot be changed where options." + ShareOptions.CONSUMERS
                    + " says how many each process has";
        }
        int more = isShared ? (consumers > consumers() ? 1 : 0) : consumers - parts.size();
        return more > 0 && parts.size() + more > MOST_PROCESSES
                ? "consumers=" + consumers + " needs more than " + MOST_PROCESSES + " processes: "
                        + (isShared ? "remove some first, which ends the last processes" : "each consumer is one")
                : null;
    }

    /**
     * Changes the number of consumers and returns a description. Restarts only a process whose number of consumers
     * changes.
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

    /** Throws a {@code RunFailure} if the proxy of a member's network is gone. */
    void requireNetworks() throws InterruptedException {
        for (LivePart part : parts) {
            MemberNetwork network = part.network;
            if (network != null) {
                network.requireUp();
            }
        }
    }

    void end(LivePart part) {
        parts.remove(part);
        members.remove(part.member);
        processes.remove(part.process);
        part.process.close();
        close(part.network);
    }

    private int ofProcess() {
        return new GroupSize(point, isShared).ofProcess();
    }

    /** The number of handlers that may block at the same time while the group has its initial size. */
    public int handlers() {
        return new GroupSize(point, isShared).handlers();
    }

    /** Returns the partition assignment as figures of the run, by name; empty if the brokers do not report it. */
    Map<String, Double> assignment() throws InterruptedException {
        Assignment seen = cluster.groups().assignment(group);
        return seen == null ? Map.of() : seen.figures();
    }

    /** The current number of processes. */
    public int processes() {
        return parts.size();
    }

    boolean hasRoom(int more) {
        return parts.size() + more <= MOST_PROCESSES;
    }

    String grow(int count, LiveSettings settings) throws InterruptedException {
        List<LivePart> more = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            more.add(launched(ofProcess()));
        }
        more.forEach(part -> start(part, settings));
        return LivePart.names(more) + settled();
    }

    /** Makes the last processes of the group leave. Returns their names once the partitions are reassigned. */
    String shrink(int count) throws InterruptedException {
        List<LivePart> some = last(count);
        members.leave(some.stream().map(part -> part.member).toList());
        some.forEach(this::end);
        return LivePart.names(some) + settled();
    }

    /** The first {@code count} processes. */
    public List<LivePart> first(int count) {
        return List.copyOf(parts.subList(0, count));
    }

    List<LivePart> last(int count) {
        return List.copyOf(parts.subList(parts.size() - count, parts.size()));
    }

    /**
     * Restarts whole processes that together hold at least {@code wanted} consumers. The restarted processes use
     * {@code settings}. Returns a description.
     */
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

    /** The number of records that the reader has not seen in the output; 0 if the members do not copy. */
    long unread() {
        return point.copiesByPlan() ? Arrays.stream(ends()).sum() - numbers.came() : 0;
    }

    long[] ends() {
        return cluster.topics().ends(topic);
    }

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
