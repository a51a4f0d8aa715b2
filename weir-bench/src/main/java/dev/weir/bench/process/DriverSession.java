package dev.weir.bench.process;

import dev.weir.bench.RunFailure;
import dev.weir.bench.cluster.BenchCluster;
import dev.weir.bench.workload.WorkloadPoint;
import dev.weir.driver.Command;
import dev.weir.driver.Feature;
import dev.weir.driver.GroupType;
import dev.weir.driver.HandlerOrder;
import dev.weir.driver.Pass;
import dev.weir.driver.PassOptions;
import dev.weir.driver.Report;
import dev.weir.driver.Scenario;
import dev.weir.driver.ShareOptions;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The exchange between the harness and a driver's process about one point. Confined to one thread. */
public final class DriverSession {
    /** Longest wait for joining a group and getting a first record, or for closing down. */
    public static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Figure of a pass: largest error of its latencies, from both its clock and the sender's. */
    public static final String CLOCK_ERROR = "clock: error ms";

    private final DriverProcess process;
    private final BenchCluster cluster;
    private final WorkloadPoint point;
    private GroupType groupType = GroupType.CONSUMER; // default until the greeting
    private boolean hasConsumers; // official client's, counted by ShareOptions
    private String bootstrapServers; // passed to the driver

    public DriverSession(DriverProcess process, BenchCluster cluster, WorkloadPoint point) {
        this.process = process;
        this.cluster = cluster;
        this.point = point;
        this.bootstrapServers = cluster.bootstrapServers();
    }

    /** Sets the addresses that the driver uses for its brokers, from the next {@link #configure} on. */
    public void through(String addresses) {
        bootstrapServers = addresses;
    }

    /** Greeting of a driver; fails if the driver lacks what the point asks for. */
    public Report.Hello hello() throws InterruptedException {
        Report.Hello hello = hello(point.scenario());
        for (Feature wanted : point.features()) {
            if (!hello.features().contains(wanted)) {
                throw new RunFailure("it does not offer " + wanted.text() + ", only "
                        + hello.scenarios().stream().map(Scenario::label).toList() + " without");
            }
        }
        return hello;
    }

    /** Greeting of a driver; fails if the driver lacks the scenario. */
    public Report.Hello hello(Scenario scenario) throws InterruptedException {
        if (!(receive() instanceof Report.Hello hello)) {
            throw new RunFailure("it did not say hello first");
        }
        if (!hello.scenarios().contains(scenario)) {
            throw new RunFailure("it does not offer " + scenario.label() + ", only "
                    + hello.scenarios().stream().map(Scenario::label).toList());
        }
        process.greeted();
        groupType = hello.groupType();
        hasConsumers = hello.features().contains(Feature.SHARE_CONSUMERS);
        if (groupType == GroupType.SHARE && point.ordering() != HandlerOrder.NONE) {
            throw new RunFailure("it reads by a share group, which keeps no order: set options.ordering: none");
        }
        return hello;
    }

    /** Number of members that it adds to a group, given its workers. */
    public int groupMembers(int workers) {
        return hasConsumers ? ShareOptions.consumers(point.options(), workers) : 1;
    }

    /** Kind of group that it joins; known after {@link #hello}. */
    public GroupType groupType() {
        return groupType;
    }

    /** Options of the point, and what the harness adds for this driver. */
    public Map<String, String> options() {
        Map<String, String> options = new TreeMap<>(point.options());
        if (point.scenario() == Scenario.PIPELINE) {
            options.put(PassOptions.OUTPUT, cluster.topics().sink());
        }
        if (point.scenario() == Scenario.COPY) {
            options.put(PassOptions.PARTITION_AT, Integer.toString(point.partitionAt()));
        }
        options.put(PassOptions.SERIES, Boolean.toString(point.takesSeries()));
        if (groupType == GroupType.SHARE) {
            options.put(ShareOptions.BATCH_RECORDS, Long.toString(point.mostRecordsOfABatch()));
        }
        return options;
    }

    /** Configures the driver for the point at this topic. */
    public void configure(String topic, long recordsPerPartition) {
        configure(topic, recordsPerPartition, point.scenario(), point.client(), options());
    }

    /** Something else, at the point's cluster with the point's values. */
    public void configure(
            String topic,
            long recordsPerPartition,
            Scenario scenario,
            Map<String, String> client,
            Map<String, String> options) {
        process.send(new Command.Configure(
                bootstrapServers,
                cluster.client(),
                topic,
                point.partitions(),
                recordsPerPartition,
                point.valueBytes(),
                scenario,
                client,
                options,
                point.intervalMillis()));
    }

    /**
     * Begins a pass and returns its consumer group, which is new.
     *
     * @param records at most; 0 for all
     */
    public String start(long records, double seconds) {
        String group = newGroup();
        String output = point.scenario() == Scenario.COPY ? cluster.topics().fresh(point) : "";
        process.passBegins();
        process.send(new Command.Start(group, records, seconds, output));
        return group;
    }

    /** Creates a new group of the driver's kind, replacing a previous share group. */
    public String newGroup() {
        if (groupType == GroupType.SHARE) {
            cluster.groups().deleteShared();
        }
        return newGroupBeside();
    }

    /** Creates another new group beside the groups of the run. */
    public String newGroupBeside() {
        return groupType == GroupType.SHARE
                ? cluster.groups().makeShared(point.shareGroup())
                : cluster.groups().make(point.consumerGroup());
    }

    /** Begins a pass of a member of this group. */
    public void start(String group, long records, double seconds) {
        process.passBegins();
        process.send(new Command.Start(group, records, seconds));
    }

    /** Waits until the driver reports that it is connected and can begin its plan. */
    public void ready() throws InterruptedException {
        var unused = readyAt();
    }

    /** Waits until a network is ready, and returns its address for clients. */
    String readyAt() throws InterruptedException {
        if (!(receive() instanceof Report.Ready ready)) {
            throw new RunFailure("it reported something else before it was ready");
        }
        return ready.address();
    }

    /** Changes the pass under way, as {@link Command.Change} says. */
    public void change(Map<String, String> options) {
        process.send(new Command.Change(options));
    }

    /** Ends the pass under way, if there is one; {@link Report.Passed} follows when the driver has closed down. */
    public void end() {
        process.send(new Command.End());
    }

    /** Halts the process for a while; {@link #thaw} ends that. It can be closed meanwhile. */
    public void freeze() throws InterruptedException {
        process.freeze();
    }

    /** Resumes the process. */
    public void thaw() throws InterruptedException {
        process.thaw();
    }

    /** The next report, or a failure if it fails or says nothing for too long. */
    public Report receive() throws InterruptedException {
        return receive(PATIENCE);
    }

    /** The next report, with another patience; fails at once if the brokers have ended. */
    public Report receive(Duration patience) throws InterruptedException {
        return timed(process.receive(patience, cluster::requireBrokers));
    }

    /** Takes the next report that is already there; null for nothing. */
    @Nullable
    public Report poll() throws InterruptedException {
        Report report = process.poll(Duration.ZERO);
        return report == null ? null : timed(report);
    }

    /** Adds the clock error to the report of a remote pass. Fails if records came earlier than that error explains. */
    private Report timed(Report report) {
        Long error = process.clockErrorNanos();
        if (error == null || !(report instanceof Report.Passed passed)) {
            return report;
        }
        double earlyNanos = -1e6 * passed.client().getOrDefault(Pass.EARLIEST_MILLIS, 0.0);
        if (earlyNanos > error) {
            throw new RunFailure(String.format(
                    Locale.ROOT,
                    "records came %.3f ms before they were due, and clocks are compared to %.3f ms: one of them was set"
                            + " meanwhile",
                    earlyNanos / 1e6,
                    error / 1e6));
        }
        Map<String, Double> client = new TreeMap<>(passed.client());
        client.put(CLOCK_ERROR, error / 1e6);
        return passed.withClient(client);
    }

    /** Adds the largest error of its times, if they come from another clock; of several, the maximum. */
    public void putClockError(Map<String, Double> figures) {
        Long error = process.clockErrorNanos();
        if (error != null) {
            figures.merge(CLOCK_ERROR, error / 1e6, Math::max);
        }
    }

    /** Adds what the end of a generator's pass says of its priority, place and clock to the figures of its run. */
    public static void putSender(Report.Passed sent, Map<String, Double> figures) {
        sent.client().forEach((name, figure) -> {
            if (name.equals(CLOCK_ERROR)
                    || name.equals(Pass.SENDER_NICENESS)
                    || (name.startsWith("host: ") && name.contains(" at "))) {
                figures.merge(name, figure, Math::max);
            }
        });
    }

    /** The number of cores the process may use. */
    public int cores() {
        return process.cores();
    }

    /** Ends a pass without further questions. */
    public Report.Passed passed() throws InterruptedException {
        while (true) {
            if (receive(PATIENCE.multipliedBy(2)) instanceof Report.Passed passed) {
                return passed;
            }
        }
    }
}
