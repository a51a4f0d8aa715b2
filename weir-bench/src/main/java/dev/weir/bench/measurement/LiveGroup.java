package dev.weir.bench.measurement;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.Assignment;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.process.DriverLauncher;
import dev.weir.bench.process.DriverProcess;
import dev.weir.bench.process.DriverSession;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Feature;
import dev.weir.driver.GroupNumbers;
import dev.weir.driver.GroupType;
import dev.weir.driver.HandlerWork;
import dev.weir.driver.LedgerFigures;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.SendPlan;
import dev.weir.driver.ShareOptions;
import dev.weir.testkit.FaultProxy;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a run that can be changed: members of one group, as many as are wanted, a generator, and where they copy a
 * reader of their output. Confined to one thread, which owns the processes and closes them.
 *
 * <p>A process of a share group holds several consumers, or as many workers in their place; any other holds one.
 */
final class LiveGroup implements AutoCloseable {
    /** As many as a ledger can tell apart. */
    static final long MOST_RECORDS = 100_000_000;

    static final int MOST_PROCESSES = 32;

    /** No run is that long. */
    static final double SECONDS = TimeUnit.DAYS.toSeconds(10);

    private final DriverLauncher launcher;
    private final String driver;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private final Path log;
    private final Path numbersFile;
    private final @Nullable GroupNumbers numbers; // none where members are elsewhere, who tell at their end
    private final List<DriverProcess> processes = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();
    private final DriverSession generator;
    private final TrialMembers members;
    private final int fixedConsumers; // of a process; 0 where it goes by the workers

    private String topic = "";
    private String output = ""; // of members that copy
    private String group = "";
    private boolean isShared;
    private boolean hasConsumers;

    /** A process and how many consumers it holds. */
    private static final class Part {
        private final DriverProcess process;
        private final DriverSession session;
        private final TrialMembers.Member member;
        private final @Nullable FaultProxy network; // between it and the brokers, where that can fail
        private int consumers;

        Part(
                DriverProcess process,
                DriverSession session,
                TrialMembers.Member member,
                @Nullable FaultProxy network,
                int consumers) {
            this.process = process;
            this.session = session;
            this.member = member;
            this.network = network;
            this.consumers = consumers;
        }
    }

    /**
     * The numbers that come to processes of a run.
     *
     * @throws RunFailure if the file cannot be made
     */
    static GroupNumbers numbers(Path file, WorkloadPoint point) {
        try {
            return GroupNumbers.in(file, point.partitions(), MOST_RECORDS);
        } catch (UncheckedIOException e) {
            throw new RunFailure(String.valueOf(e.getMessage()));
        }
    }

    /** The generator has no more to send. */
    static RunFailure sentAll() {
        return new RunFailure("the generator has sent all that a run can count, " + MOST_RECORDS
                + " records to each partition: let it run shorter, or at a lower rate");
    }

    /**
     * Of members that are started by {@link #join}.
     *
     * @param numbersFile in which they note what came; it is not there yet
     * @throws RunFailure if it cannot be made
     */
    LiveGroup(
            DriverLauncher launcher,
            String driver,
            BenchCluster cluster,
            WorkloadPoint point,
            Path log,
            Path numbersFile,
            TrialMembers.Listener listener) {
        this.launcher = launcher;
        this.driver = driver;
        this.cluster = cluster;
        this.point = point;
        this.log = log;
        this.numbersFile = numbersFile;
        if (point.usesProxy() && !launcher.isHere()) {
            throw new RunFailure("method.proxy stands on this machine: leave it out where workers are elsewhere");
        }
        if (point.copiesByPlan() && !launcher.isHere()) {
            throw new RunFailure(
                    "scenario copy with topic.recordsPerSecond needs its processes on this machine: leave the"
                            + " environment out");
        }
        this.numbers = launcher.isHere() ? numbers(numbersFile, point) : null;
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
        Part first = launched(0); // Which says of what kind the group is.
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
        group = parts.getFirst().session.newGroup();
        parts.forEach(part -> start(part, settings));
        members.awaitFirst();
        members.awaitSettled(this::isSettled);
        members.awaitReader();
    }

    /** Somebody reads what members are to write: what is open or was aborted is not there for who asks for exactly once. */
    private void read() throws InterruptedException {
        output = cluster.output(point);
        DriverSession reader = session(launch(DriverLauncher.READER));
        reader.hello(Scenario.STEADY);
        reader.configure(
                output,
                MOST_RECORDS,
                Scenario.STEADY,
                Map.of("isolation.level", point.isExactlyOnce() ? "read_committed" : "read_uncommitted"),
                Map.of(
                        SendPlan.RATE, "0", // Its records have planned times.
                        PassOptions.REPEATS, "true",
                        PassOptions.GROUP_NUMBERS, numbersFile.toString()));
        members.startReader(reader, SECONDS);
    }

    private Part launched(int consumers) throws InterruptedException {
        DriverProcess process = launch(driver);
        DriverSession session = session(process);
        Report.Hello hello = session.hello();
        isShared = hello.groupType() == GroupType.SHARE;
        hasConsumers = hello.features().contains(Feature.SHARE_CONSUMERS);
        FaultProxy network = point.usesProxy() ? FaultProxy.to(cluster.bootstrapServers()) : null;
        if (network != null) {
            session.through(network.bootstrapServers());
        }
        Part part = new Part(process, session, members.add(session), network, consumers);
        parts.add(part);
        return part;
    }

    /** What came so far: by the file that members on this machine share, or as many as they have told. */
    GroupPulse.Look look(long told) {
        return numbers == null ? new GroupPulse.Look(System.nanoTime(), told, 0) : GroupPulse.Look.at(numbers);
    }

    /** What came in the end; of members on this machine also what those had that were killed. */
    LedgerFigures figures(GroupLedger told, long[] ends) {
        if (point.copiesByPlan()) {
            return cluster.copied(point, topic, ends, group);
        }
        LedgerFigures figures = told.figures(ends);
        return numbers == null ? figures : numbers.figures(figures, ends);
    }

    /** The numbers that never came, by partition. */
    List<BitSet> missing(GroupLedger told, long[] ends) {
        return IntStream.range(0, ends.length)
                .mapToObj(partition -> numbers == null
                        ? told.missing(partition, ends[partition])
                        : numbers.missing(partition, ends[partition]))
                .toList();
    }

    /** Whether its processes are on this machine. */
    boolean isHere() {
        return launcher.isHere();
    }

    private void start(Part part, LiveSettings settings) {
        Map<String, String> options = new TreeMap<>(part.session.options());
        options.put(SendPlan.RATE, Double.toString(settings.producerRate())); // Its records have planned times.
        options.put(HandlerWork.MILLIS, Double.toString(settings.workMillis()));
        options.put(PassOptions.REPEATS, "true");
        options.put(PassOptions.OUTPUT, output);
        if (!point.copiesByPlan()) { // Else it is its output that tells.
            options.put(PassOptions.TELLS, "true");
            if (numbers != null) {
                options.put(PassOptions.GROUP_NUMBERS, numbersFile.toString());
            }
        }
        if (isShared) {
            options.put(PassOptions.CONCURRENCY, Integer.toString(part.consumers));
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
        generator.configure(
                topic, MOST_RECORDS - 1, Scenario.PRODUCE, point.producer(), GeneratorPlan.held(point, seed));
        members.startGenerator(SECONDS);
        return GeneratorPlan.begin(generator, rate);
    }

    /** Another rate from now on. */
    void send(double rate) {
        GeneratorPlan.change(generator, System.nanoTime(), rate);
    }

    /** One rate for so long from now on, then another: as long as that is by the plan, whenever anybody looks. */
    void send(double rate, double seconds, double then) {
        long nanos = System.nanoTime();
        GeneratorPlan.change(generator, nanos, rate);
        GeneratorPlan.change(generator, nanos + (long) (seconds * TimeUnit.SECONDS.toNanos(1)), then);
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

    /** By SIGKILL, whatever it does. */
    private void end(Part part) {
        parts.remove(part);
        members.remove(part.member);
        processes.remove(part.process);
        part.process.close();
        close(part.network);
    }

    /** How many consumers a process has that joins by itself. */
    private int ofProcess() {
        return new GroupSize(point, isShared).ofProcess();
    }

    /** How many handlers may block at a time, as it began. */
    int handlers() {
        return new GroupSize(point, isShared).handlers();
    }

    /** Who has which partitions, as figures of the run; none where brokers do not say. */
    Map<String, Double> assignment() throws InterruptedException {
        Assignment seen = cluster.assignment(group);
        return seen == null ? Map.of() : seen.figures();
    }

    /** How many processes there are. */
    int processes() {
        return parts.size();
    }

    /** Whether so many more can join. */
    boolean hasRoom(int more) {
        return parts.size() + more <= MOST_PROCESSES;
    }

    /** So many processes join; returns which, for people, when they have. */
    String grow(int count, LiveSettings settings) throws InterruptedException {
        List<Part> more = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            more.add(launched(ofProcess()));
        }
        more.forEach(part -> start(part, settings));
        return names(more) + settled();
    }

    /** The last ones leave; returns which, when the others have shared out the partitions. */
    String shrink(int count) throws InterruptedException {
        List<Part> some = last(count);
        members.leave(some.stream().map(part -> part.member).toList());
        some.forEach(this::end);
        return names(some) + settled();
    }

    /** The last ones are killed amid their work, and not waited for; returns which. */
    String kill(int count) {
        List<Part> some = last(count);
        some.forEach(this::end);
        return names(some);
    }

    /** The first ones stand still for so long; returns which. */
    String freeze(int count, double seconds) throws InterruptedException {
        List<Part> some = parts.subList(0, count);
        members.pause(some.stream().map(part -> part.member).toList(), seconds);
        return names(some);
    }

    /** Something befalls the network of the first ones for so long; returns which. */
    String disconnect(int count, Consumer<FaultProxy> fault, double seconds) throws InterruptedException {
        List<Part> some = List.copyOf(parts.subList(0, count));
        List<FaultProxy> networks =
                some.stream().map(part -> Objects.requireNonNull(part.network)).toList();
        networks.forEach(fault);
        try {
            members.hearUntil(System.nanoTime() + (long) (seconds * TimeUnit.SECONDS.toNanos(1)));
        } finally {
            networks.forEach(FaultProxy::restore);
        }
        return names(some);
    }

    private List<Part> last(int count) {
        return List.copyOf(parts.subList(parts.size() - count, parts.size()));
    }

    private static String names(List<Part> some) {
        return (some.size() == 1 ? "process " : "processes ")
                + some.stream().map(part -> Long.toString(part.process.pid())).collect(Collectors.joining(", "));
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

    /** How many records a group has to copy that nobody has read in its output yet; 0 where it does not copy. */
    long unread() {
        return point.copiesByPlan() && numbers != null ? Arrays.stream(ends()).sum() - numbers.came() : 0;
    }

    /** How many records each partition has. */
    long[] ends() {
        return cluster.ends(topic);
    }

    /** All leave; returns when they have told what they delivered. */
    void leave() throws InterruptedException {
        members.leave(parts.stream().map(part -> part.member).toList());
        members.endReader();
    }

    @Override
    public void close() {
        processes.forEach(DriverProcess::close);
        parts.forEach(part -> close(part.network));
    }

    private static void close(@Nullable FaultProxy network) {
        if (network != null) {
            network.close();
        }
    }
}
